;; An emergency brake: while an incident is open, a human sees every step.
;;
;; Your program reports an incident with the policy event `info:incident` or `info:incident:NAME`. This module searches
;; the input for that text and nothing else. A backslash could spell the event in another way, so a human also sees
;; every input with a backslash. The flag `incident` gives the reason; a composition makes a finding of it.
;;
;; The module never names a next step and does not check whether tests ran. Run it beside the engine (`--restrict`),
;; which does both.
;;
;;      0  texts
;;   1024  the reply record, then the reply
;;   2048  the input
(module
  (memory (export "memory") 1 256)

  ;; The texts, one after the other. Each comment has the address and the number of bytes.
  (data (i32.const 0)
    ;; 0, 29: start of an answer
    "{\"ok\":{\"decision\":{\"status\":\""
    ;; 29, 7: the status without an incident
    "success"
    ;; 36, 11: the status with an incident
    "needs_human"
    ;; 47, 71: the answer up to the flags
    "\",\"next_step\":null,\"fix_instructions\":null,\"blockers\":[],\"risk_flags\":["
    ;; 118, 10: the flag
    "\"incident\""
    ;; 128, 160: end of an answer
    "]},\"findings\":[],\"loop\":{\"consecutive_partials\":0,\"review_completed\":false,\"refinement\":{\"cap\":1,\"spent\":0,\"requested\":false},\"escalation\":null},\"policy\":null}}"
    ;; 288, 76: an error
    "{\"error\":{\"code\":\"missing_field\",\"message\":\"\",\"path\":\"/allowed_next_steps\"}}"
    ;; 364, 65: another error
    "{\"error\":{\"code\":\"unsupported_operation\",\"message\":\"\",\"path\":\"\"}}"
    ;; 429, 15: the searched text, and a backslash
    "\"info:incident\\")

  ;; The address after the reply so far.
  (global $end (mut i32) (i32.const 0))

  (func (export "adjudicate_abi_1") (result i32)
    (i32.const 0))

  ;; There is one buffer, after everything else.
  (func (export "adjudicate_alloc") (param $length i32) (result i32)
    (local $missing i32)
    (if (i32.gt_u (local.get $length) (i32.const 0xfff000))
      (then (return (i32.const 0))))
    (local.set $missing
      (i32.sub
        (i32.shr_u (i32.add (local.get $length) (i32.const 0x107ff)) (i32.const 16))
        (memory.size)))
    (if (i32.gt_s (local.get $missing) (i32.const 0))
      (then
        (if (i32.lt_s (memory.grow (local.get $missing)) (i32.const 0))
          (then (return (i32.const 0))))))
    (i32.const 2048))

  (func $put (param $text i32) (param $length i32)
    (memory.copy (global.get $end) (local.get $text) (local.get $length))
    (global.set $end (i32.add (global.get $end) (local.get $length))))

  ;; Returns whether the text from `at` to `end` contains the `length` bytes at `sought`.
  (func $holds (param $at i32) (param $end i32) (param $sought i32) (param $length i32) (result i32)
    (local $same i32)
    (loop $next
      (if (i32.gt_u (i32.add (local.get $at) (local.get $length)) (local.get $end))
        (then (return (i32.const 0))))
      (local.set $same (i32.const 0))
      (block $differs
        (loop $byte
          (br_if $differs
            (i32.ne
              (i32.load8_u (i32.add (local.get $at) (local.get $same)))
              (i32.load8_u (i32.add (local.get $sought) (local.get $same)))))
          (local.set $same (i32.add (local.get $same) (i32.const 1)))
          (br_if $byte (i32.lt_u (local.get $same) (local.get $length))))
        (return (i32.const 1)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $next))
    (unreachable))

  (func (export "adjudicate_call") (param $operation i32) (param $at i32) (param $length i32) (result i32)
    (local $end i32) (local $is_open i32)
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (global.set $end (i32.const 1032))
    (block $done
      (if (i32.ne (local.get $operation) (i32.const 1))
        (then
          (call $put (i32.const 364) (i32.const 65))
          (br $done)))
      ;; `allowed_next_steps`, in the text of the error about it.
      (if (i32.eqz (call $holds (local.get $at) (local.get $end) (i32.const 343) (i32.const 18)))
        (then
          (call $put (i32.const 288) (i32.const 76))
          (br $done)))
      (local.set $is_open
        (i32.or
          (call $holds (local.get $at) (local.get $end) (i32.const 429) (i32.const 14))
          (call $holds (local.get $at) (local.get $end) (i32.const 443) (i32.const 1))))
      (call $put (i32.const 0) (i32.const 29))
      (if (local.get $is_open)
        (then (call $put (i32.const 36) (i32.const 11)))
        (else (call $put (i32.const 29) (i32.const 7))))
      (call $put (i32.const 47) (i32.const 71))
      (if (local.get $is_open)
        (then (call $put (i32.const 118) (i32.const 10))))
      (call $put (i32.const 128) (i32.const 160)))
    (i32.store (i32.const 1024) (i32.const 1032))
    (i32.store (i32.const 1028) (i32.sub (global.get $end) (i32.const 1032)))
    (i32.const 1024)))

(module $empty-file binary
  "")

(module $png binary
  "\89PNG\0d\0a\1a\0a\00\00\00\0dIHDR")

(module $html binary
  "<!doctype html><title>502</title>")

(module $elf binary
  "\7fELF\02\01\01\00\00\00\00\00")

(module $gzip binary
  "\1f\8b\08\00\00\00\00\00")

(module $webassembly-text binary
  "(module)")

(module $component binary
  "\00asm\0d\00\01\00")

(module $unknown-version binary
  "\00asm\02\00\00\00")

(module $magic-alone binary
  "\00asm")

(module $section-of-4-gib binary
  "\00asm\01\00\00\00"
  "\01\ff\ff\ff\ff\0f")

(module $types-that-are-not-there binary
  "\00asm\01\00\00\00"
  "\01\05\ff\ff\ff\ff\0f")

(module $number-without-end binary
  "\00asm\01\00\00\00"
  "\01\80\80\80\80\80\80\00")

(module $number-with-spare-bits binary
  "\00asm\01\00\00\00"
  "\01\81\80\80\80\70\00")

(module $sections-out-of-order binary
  "\00asm\01\00\00\00"
  "\03\02\01\00"
  "\01\04\01\60\00\00")

(module $section-twice binary
  "\00asm\01\00\00\00"
  "\01\04\01\60\00\00"
  "\01\04\01\60\00\00")

(module $unknown-section binary
  "\00asm\01\00\00\00"
  "\7f\00")

(module $section-with-rest binary
  "\00asm\01\00\00\00"
  "\01\06\01\60\00\00\00\00")

(module $function-without-a-body binary
  "\00asm\01\00\00\00"
  "\01\04\01\60\00\00"
  "\03\02\01\00")

(module $ill-typed-body binary
  "\00asm\01\00\00\00"
  "\01\05\01\60\00\01\7f"
  "\03\02\01\00"
  "\0a\04\01\02\00\0b")

(module $body-without-end binary
  "\00asm\01\00\00\00"
  "\01\04\01\60\00\00"
  "\03\02\01\00"
  "\0a\04\01\02\00\01")

(module $unknown-instruction binary
  "\00asm\01\00\00\00"
  "\01\04\01\60\00\00"
  "\03\02\01\00"
  "\0a\05\01\03\00\27\0b")

(module $locals-of-4-billion binary
  "\00asm\01\00\00\00"
  "\01\04\01\60\00\00"
  "\03\02\01\00"
  "\0a\0a\01\08\01\ff\ff\ff\ff\0f\7f\0b")

(module $export-name-not-utf8 binary
  "\00asm\01\00\00\00"
  "\05\04\01\01\01\01"
  "\07\05\01\01\ff\02\00")

(module $section-name-not-utf8 binary
  "\00asm\01\00\00\00"
  "\00\02\01\ff")

(module $export-twice
  (memory (export "memory") 1 1)
  (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
  (func $alloc (export "adjudicate_alloc") (param $len i32) (result i32)
    (select (i32.const 4096) (i32.const 0) (i32.le_u (local.get $len) (i32.const 61440))))
  (func $call (export "adjudicate_call") (param $op i32) (param $ptr i32) (param $len i32) (result i32)
    (if (i32.ne (local.get $op) (i32.const 1)) (then (return (i32.const 24))))
    (i32.const 16))
  (data (i32.const 16) "\00\04\00\00\0b\01\00\00")
  (data (i32.const 24) "\00\02\00\00\59\00\00\00")
  (data (i32.const 512) "{\"error\":{\"code\":\"unsupported_operation\",\"message\":\"only evaluate is offered\",\"path\":\"\"}}")
  (data (i32.const 1024) "{\"ok\":{\"decision\":{\"status\":\"partial\",\"next_step\":null,\"fix_instructions\":null,\"blockers\":[],\"risk_flags\":[]},\"findings\":[],\"loop\":{\"consecutive_partials\":0,\"review_completed\":false,\"refinement\":{\"cap\":1,\"spent\":0,\"requested\":false},\"escalation\":null},\"policy\":null}}")
  (export "adjudicate_call" (func $alloc))
  (@custom "adjudicate.manifest" "{\"abi\":1,\"name\":\"export-twice\",\"version\":\"1.0.0\",\"operations\":[\"evaluate\"]}"))

(module $export-of-what-is-not-there
  (memory (export "memory") 1 1)
  (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
  (func $alloc (export "adjudicate_alloc") (param $len i32) (result i32)
    (select (i32.const 4096) (i32.const 0) (i32.le_u (local.get $len) (i32.const 61440))))
  (func $call (export "adjudicate_call") (param $op i32) (param $ptr i32) (param $len i32) (result i32)
    (if (i32.ne (local.get $op) (i32.const 1)) (then (return (i32.const 24))))
    (i32.const 16))
  (data (i32.const 16) "\00\04\00\00\0b\01\00\00")
  (data (i32.const 24) "\00\02\00\00\59\00\00\00")
  (data (i32.const 512) "{\"error\":{\"code\":\"unsupported_operation\",\"message\":\"only evaluate is offered\",\"path\":\"\"}}")
  (data (i32.const 1024) "{\"ok\":{\"decision\":{\"status\":\"partial\",\"next_step\":null,\"fix_instructions\":null,\"blockers\":[],\"risk_flags\":[]},\"findings\":[],\"loop\":{\"consecutive_partials\":0,\"review_completed\":false,\"refinement\":{\"cap\":1,\"spent\":0,\"requested\":false},\"escalation\":null},\"policy\":null}}")
  (export "extra" (func 99))
  (@custom "adjudicate.manifest" "{\"abi\":1,\"name\":\"export-of-what-is-not-there\",\"version\":\"1.0.0\",\"operations\":[\"evaluate\"]}"))

(module $memory-over-4-gib
  (memory (export "memory") 1 65537)
  (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
  (func $alloc (export "adjudicate_alloc") (param $len i32) (result i32)
    (select (i32.const 4096) (i32.const 0) (i32.le_u (local.get $len) (i32.const 61440))))
  (func $call (export "adjudicate_call") (param $op i32) (param $ptr i32) (param $len i32) (result i32)
    (if (i32.ne (local.get $op) (i32.const 1)) (then (return (i32.const 24))))
    (i32.const 16))
  (data (i32.const 16) "\00\04\00\00\0b\01\00\00")
  (data (i32.const 24) "\00\02\00\00\59\00\00\00")
  (data (i32.const 512) "{\"error\":{\"code\":\"unsupported_operation\",\"message\":\"only evaluate is offered\",\"path\":\"\"}}")
  (data (i32.const 1024) "{\"ok\":{\"decision\":{\"status\":\"partial\",\"next_step\":null,\"fix_instructions\":null,\"blockers\":[],\"risk_flags\":[]},\"findings\":[],\"loop\":{\"consecutive_partials\":0,\"review_completed\":false,\"refinement\":{\"cap\":1,\"spent\":0,\"requested\":false},\"escalation\":null},\"policy\":null}}")
  (@custom "adjudicate.manifest" "{\"abi\":1,\"name\":\"memory-over-4-gib\",\"version\":\"1.0.0\",\"operations\":[\"evaluate\"]}"))

(module $maximum-below-the-beginning
  (memory (export "memory") 2 1)
  (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
  (func $alloc (export "adjudicate_alloc") (param $len i32) (result i32)
    (select (i32.const 4096) (i32.const 0) (i32.le_u (local.get $len) (i32.const 61440))))
  (func $call (export "adjudicate_call") (param $op i32) (param $ptr i32) (param $len i32) (result i32)
    (if (i32.ne (local.get $op) (i32.const 1)) (then (return (i32.const 24))))
    (i32.const 16))
  (data (i32.const 16) "\00\04\00\00\0b\01\00\00")
  (data (i32.const 24) "\00\02\00\00\59\00\00\00")
  (data (i32.const 512) "{\"error\":{\"code\":\"unsupported_operation\",\"message\":\"only evaluate is offered\",\"path\":\"\"}}")
  (data (i32.const 1024) "{\"ok\":{\"decision\":{\"status\":\"partial\",\"next_step\":null,\"fix_instructions\":null,\"blockers\":[],\"risk_flags\":[]},\"findings\":[],\"loop\":{\"consecutive_partials\":0,\"review_completed\":false,\"refinement\":{\"cap\":1,\"spent\":0,\"requested\":false},\"escalation\":null},\"policy\":null}}")
  (@custom "adjudicate.manifest" "{\"abi\":1,\"name\":\"maximum-below-the-beginning\",\"version\":\"1.0.0\",\"operations\":[\"evaluate\"]}"))

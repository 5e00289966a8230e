/** The sections of the page of rules. */

/**
 * Returns the addresses of the built-in rules' sections, by the names of the rules.
 *
 * @param page The text of the page, whose table of rules links each rule to its section.
 * @param address The address of the page.
 */
export function ruleLinks(page: string, address: string): Record<string, string> {
  const rows = page.matchAll(/^\| \[`(\w+)`\]\((#[\w-]+)\)/gm);
  return Object.fromEntries(Array.from(rows, ([, name, section]) => [name, address + section]));
}

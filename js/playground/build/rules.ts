/** The pages of the built-in rules. */

/**
 * Returns the addresses of the built-in rules' pages, by the names of the rules.
 *
 * @param page The text of the reference of rules, whose table links each rule to its page.
 * @param folder The address of the reference's folder, with the slash at its end.
 */
export function ruleLinks(page: string, folder: string): Record<string, string> {
  const rows = page.matchAll(/^\| (?:<a id="\w+"><\/a>)?\[`(\w+)`\]\((rules\/\w+\.md)\)/gm);
  return Object.fromEntries(Array.from(rows, ([, name, file]) => [name, folder + file]));
}

/**
 * A spreadsheet takes a cell that begins like this for a formula, also when it is quoted; an apostrophe before it makes it text.
 * The last four are the wide forms, which some take for the same.
 */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** A text as the cell of a CSV file that no spreadsheet takes for a formula. */
export const harmless = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** The text of a cell that `harmless` has written. */
export const withoutGuard = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell

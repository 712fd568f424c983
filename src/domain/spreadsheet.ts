/**
 * A spreadsheet takes a cell that begins like this for a formula, also when it is quoted; an apostrophe before it makes it text.
 * The last four are the wide forms, which some take for the same.
 */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** A text as the cell of a CSV file that no spreadsheet takes for a formula. */
export const harmless = (text: string): string => (formula.test(text) ? `'${text}` : text)

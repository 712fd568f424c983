/** The names of the fields that are amounts of money: in every resource they are that. */
export type IsMoney = (field: string) => boolean

const mark = 'money:'

/**
 * An answer as it comes over the wire, in lines: amounts of money with their two decimals, which a number in JavaScript
 * does not have.
 */
export function wireText(answer: unknown, isMoney: IsMoney): string {
  const marked = (field: string, value: unknown) =>
    typeof value === 'number' && isMoney(field) ? `${mark}${value.toFixed(2)}` : value
  return JSON.stringify(answer, marked, 2).replace(new RegExp(`"${mark}(-?[\\d.]+)"`, 'g'), '$1')
}

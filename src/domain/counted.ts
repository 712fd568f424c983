/** A number with its noun: `1 token`, `2 tokens`. */
export const counted = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`

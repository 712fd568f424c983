/** The name of a column as ours are spelt: `Serial Number` as `serial_number`. */
export const spelt = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')

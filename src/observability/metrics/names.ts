/** The names of our metrics begin with it. */
export const prefix = 'studio_inventory_'

/** A label with the name of the cell, where there are several. */
export const inCell = (cell: string | undefined) => (cell === undefined ? {} : { cell })

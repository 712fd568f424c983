import type { Tool } from '../mapping.ts'

/**
 * Users of Cheqroom choose the fields of an export. Cheqroom publishes no list of the columns: these are the fields that every item has, in
 * the words of its help, https://help.cheqroom.com/en/articles/9515671-quick-start-administrator-guide and
 * https://knowledge.cheqroom.com/helpcenter/how-should-i-organize-my-assets, and, for codes, of its API as
 * https://github.com/Hamza4859/CheqroomAPI/blob/main/src/main/java/com/cheqroom/resources/ItemResource.java reads it. All others
 * are custom fields.
 */
export const cheqroom: Tool = {
  title: 'Cheqroom',
  kind: 'items',
  remark:
    'Cheqroom publishes no list of columns: these are the fields that every item has. Custom fields with other names than ours need `--map`.',
  columns: {
    external_key: { from: ['Barcode', 'Barcodes', 'Code', 'Codes'] },
    name: { from: ['Name'] },
    manufacturer: { from: ['Brand'] },
    barcode: { from: ['Barcode', 'Barcodes'] },
    category: { from: ['Category'] },
    location: { from: ['Location'] },
  },
  ignored: [],
}

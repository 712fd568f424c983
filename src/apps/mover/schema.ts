import { newestMigration } from '../../database/migrations.ts'
import { MoveFailed, type OpenCell, rowsOf } from './cell.ts'

/**
 * Checks that the cells have the schema of this program: of a newer one it does not know all tables, and would leave rows behind.
 *
 * @throws MoveFailed that names the cell and both schemas
 */
export async function requireSchema(...cells: readonly OpenCell[]): Promise<void> {
  const { filename } = await newestMigration()
  for (const cell of cells) {
    const [installed] = await rowsOf<{ schema: string }>(cell.client, 'select access.schema_version()::text as schema')
    if (installed?.schema === filename) continue
    throw new MoveFailed(
      `${cell.name} has the schema ${installed?.schema}, and this program that of ${filename}`,
      'Bring both cells to one release (studio-inventory migrate), and run this command of the same release.',
    )
  }
}

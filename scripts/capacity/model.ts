import type inputs from './inputs.json'

/** What was measured, what is assumed of the use, how much one machine may do, and prices: see docs/capacity.md. */
export type Inputs = typeof inputs

/** What so many studios need. Cores are busy ones divided by the share that is to be busy. */
export type Capacity = {
  studios: number
  requestsADay: number
  peakRequests: number
  /** Cores of the service, and its machines. */
  serviceCores: number
  machines: number
  /** Connections to one primary without a pooler, of all processes of a cell: one process for each core. */
  connections: number
  needsPooler: boolean
  /** Installations with a database of their own. */
  cells: number
  /** Of one installation: cores of its primary, and replicas that are read from. */
  primaryCores: number
  replicas: number
  databaseGb: number
  photosGb: number
  monthly: { service: number; databases: number; storage: number; total: number }
}

const secondsADay = 86_400
const [thousand, million, giga] = [1e3, 1e6, 1e9]

export function capacityOf(studios: number, { measured, use, limits, monthlyPrices }: Inputs): Capacity {
  const kinds = ['unchanged', 'item', 'list'] as const
  const requestsADay = studios * use.studiosWithApiClients * use.requestsPerClientADay
  const peakRequests = (requestsADay / secondsADay) * use.peakFactor
  const peakWrites = ((studios * use.writesPerStudioADay) / secondsADay) * use.peakFactor
  const mean = (of: 'nodeUs' | 'databaseUs') =>
    kinds.reduce((sum, kind) => sum + use.shares[kind] * measured.requests[kind][of], 0)
  const cores = (microseconds: number) => microseconds / million / limits.busyShare

  const serviceCores = cores(peakRequests * mean('nodeUs'))
  const items = studios * use.itemsPerStudio
  const bytes = items * (measured.bytesPerItem + use.monthsClosed * measured.bytesPerClosedValue) * use.growthOfTables
  const databaseGb = bytes / giga
  // Replicas run the statements that read when they are too much for one server. The primary writes, answers what is unchanged,
  // and authenticates what replicas read, whose statements authenticate too.
  const writes = cores(peakWrites * measured.writeUs)
  const unchanged = cores(peakRequests * use.shares.unchanged * measured.requests.unchanged.databaseUs)
  const reads = cores(peakRequests * mean('databaseUs')) - unchanged
  const authentication = cores(peakRequests * (1 - use.shares.unchanged) * measured.authenticationUs)
  const primaryOnly = writes + unchanged + authentication
  const all = writes + unchanged + reads
  const cells = Math.max(
    1,
    Math.ceil(primaryOnly / limits.coresPerDatabase),
    Math.ceil(databaseGb / limits.diskGbPerDatabase),
    Math.ceil(studios / limits.studiosPerCell),
  )
  const isMuch = all / cells > limits.coresPerDatabase
  const replicas = isMuch ? Math.ceil(reads / cells / limits.coresPerDatabase) : 0
  const primaryCores = Math.max(2, Math.ceil((isMuch ? primaryOnly : all) / cells))

  // Each cell has its own service, on two machines at least.
  const inCell = serviceCores / cells
  const machines = cells * Math.max(2, Math.ceil(inCell / limits.coresPerServiceMachine))
  const connections = Math.max(2, Math.ceil(inCell)) * (limits.poolSize + 1)

  const photosGb = (items * use.photosPerItem * use.photoMb) / thousand
  // Each primary has a standby of the same size; each server has the whole data of its cell.
  const servers = 2 + replicas
  const service = Math.max(machines * 2, Math.ceil(serviceCores)) * monthlyPrices.serviceCore
  const databases = cells * (2 * primaryCores + replicas * limits.coresPerDatabase) * monthlyPrices.databaseCore
  const storage = databaseGb * servers * monthlyPrices.databaseGb + photosGb * monthlyPrices.objectGb
  return {
    ...{ studios, requestsADay, peakRequests, serviceCores, machines, connections, cells, primaryCores, replicas },
    needsPooler: connections > limits.connectionsPerDatabase,
    ...{ databaseGb, photosGb },
    monthly: { service, databases, storage, total: service + databases + storage },
  }
}

/** At how many studios each step becomes necessary; undefined: not up to a thousand million, because another one comes before. */
export function stepsOf(inputs: Inputs): Record<'machines' | 'pooler' | 'replicas' | 'cells', number | undefined> {
  const first = (isNeeded: (capacity: Capacity) => boolean) => {
    for (let studios = 100; studios <= giga; studios *= 1.01) {
      if (isNeeded(capacityOf(Math.round(studios), inputs))) return Math.round(studios)
    }
    return undefined
  }
  return {
    machines: first(({ machines, cells }) => machines > 2 * cells),
    pooler: first(({ needsPooler }) => needsPooler),
    replicas: first(({ replicas }) => replicas > 0),
    cells: first(({ cells }) => cells > 1),
  }
}

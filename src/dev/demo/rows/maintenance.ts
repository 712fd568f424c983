import { dateFrom } from '../calendar.ts'
import type { Random } from '../random.ts'
import type { StudioProfile } from '../studios/profile.ts'
import type { ItemRow } from './items.ts'

/** A row of app.maintenance_records. */
export type MaintenanceRow = {
  id: string
  item_id: string
  title: string
  maintenance_type: string
  status: 'scheduled' | 'completed'
  scheduled_date: string | null
  completed_date: string | null
  cost: number | null
  vendor: string | null
  description: string | null
}

/** A job: what it is called, its type, what it costs in pounds, and what was noted. */
type Job = readonly [title: string, type: string, cost: number, note?: string]

const everywhere: readonly Job[] = [
  ['Portable appliance test', 'inspection', 6, 'Passed. Label renewed.'],
  ['Clean and check connectors', 'cleaning', 25],
]

/** Jobs by category; the rest of the categories have the common ones. */
const jobs: Record<string, readonly Job[]> = {
  Microphones: [
    ['Capsule cleaning', 'cleaning', 120, 'Capsule cleaned, response checked against the reference.'],
    ['Replace ribbon', 'repair', 210],
    ['Power supply and cable check', 'inspection', 45],
  ],
  'Preamps & Channel Strips': [
    ['Clean pots and switches', 'preventive', 60],
    ['Replace electrolytic capacitors', 'repair', 260, 'Both rails within 50 mV after the work.'],
  ],
  'Outboard — Dynamics & EQ': [
    ['Valve set and bias', 'preventive', 180],
    ['Meter calibration', 'calibration', 75, 'Meter reads 0 VU at +4 dBu.'],
    ['Replace T4 cell', 'repair', 145],
  ],
  'Effects & Reverb Units': [
    ['Tape and heads', 'preventive', 90],
    ['Memory battery', 'preventive', 35],
    ['Damper plate adjustment', 'calibration', 220],
  ],
  'Mixing Consoles & Summing': [
    ['Recap channels 9 to 16', 'repair', 1850, 'Noise floor down 3 dB on the buses.'],
    ['Fader service', 'preventive', 640],
    ['Power supply fans', 'preventive', 160],
  ],
  'Recorders & Tape Machines': [
    ['Full alignment', 'calibration', 240, 'Aligned to 320 nWb/m, IEC, 15 ips.'],
    ['Relap heads', 'repair', 620],
    ['Pinch roller and brakes', 'preventive', 190],
  ],
  'Interfaces & Converters': [
    ['Firmware update', 'upgrade', 0],
    ['Clock reference check', 'calibration', 95],
  ],
  'Monitoring & Headphones': [
    ['Room measurement and trim', 'calibration', 350],
    ['Replace ear pads', 'preventive', 38],
    ['Replace tweeter', 'repair', 290],
  ],
  'Guitars & Basses': [
    ['Setup and restring', 'preventive', 75],
    ['Fret dress', 'repair', 160],
    ['Pickup selector and pots', 'repair', 65],
  ],
  'Keyboards & Synthesizers': [
    ['Piano tuning to 440 Hz', 'preventive', 95],
    ['Voice calibration', 'calibration', 180],
    ['Key contacts', 'cleaning', 140],
  ],
  'Drums & Percussion': [
    ['New heads and tuning', 'preventive', 110],
    ['Re-cut bearing edges', 'repair', 180],
  ],
  'Amplifiers & Cabinets': [
    ['Valves and bias', 'preventive', 190, 'New matched output pair, 36 mA each.'],
    ['Re-cone speaker', 'repair', 130],
  ],
  'Computers & Software': [
    ['System update before the next album', 'upgrade', 0],
    ['Clean fans and filters', 'cleaning', 40],
    ['Restore test from backup', 'inspection', 0],
  ],
  'Other / Uncategorised': [['Annual service', 'other', 120]],
}

/**
 * Maintenance for items that are looked after: about two thirds done within the last two years, the rest due, of which a
 * few are overdue.
 */
export function maintenanceRows(
  profile: StudioProfile,
  items: readonly ItemRow[],
  random: Random,
  now: Date,
): MaintenanceRow[] {
  return Array.from({ length: profile.maintenanceRecords }, () => {
    const item = random.pick(items)
    const [title, type, pounds, note] = random.pick([...(jobs[item.category] ?? []), ...everywhere])
    const done = random.chance(0.65)
    const planned = done ? -random.between(3, 730) : random.between(-20, 200)
    const inHouse = pounds < 50 || random.chance(0.2)
    return {
      id: random.uuid(),
      item_id: item.id,
      title,
      maintenance_type: type,
      status: done ? ('completed' as const) : ('scheduled' as const),
      scheduled_date: done && random.chance(0.15) ? null : dateFrom(now, planned),
      completed_date: done ? dateFrom(now, Math.min(0, planned + random.between(0, 6))) : null,
      cost:
        done || random.chance(0.3)
          ? Math.round(pounds * profile.poundsRate * (0.9 + random.next() * 0.3) * 2) / 2
          : null,
      vendor: inHouse ? null : random.pick(profile.workshops),
      description: (done && note) || null,
    }
  })
}

import type { StudioProfile } from './profile.ts'

/** A studio whose plan has lapsed: everything is still there, and the API answers 403. */
export const hollowOak: StudioProfile = {
  name: 'Hollow Oak Recording',
  timezone: 'Europe/London',
  currency: 'GBP',
  poundsRate: 1,
  label: 'HO',
  owner: { email: 'gwen@hollowoak.example', name: 'Gwen Pritchard' },
  team: [],
  plan: { plan: 'studio', status: 'canceled', periodStartsInDays: -51, periodEndsInDays: -21 },
  items: { live: 40, archived: 3, maxPrice: 9000 },
  maintenanceRecords: 10,
  workshops: ['Marches Audio'],
  places: [
    {
      name: 'Hollow Oak Recording',
      type: 'site',
      description: 'Converted barn.',
      address: { line1: 'Oak Barn', line2: 'Mill Lane', city: 'Ludlow', postalCode: 'SY8 2QT', countryCode: 'GB' },
    },
  ],
  policies: [
    {
      name: 'Barn contents',
      type: 'studio_property',
      carrier: 'Pell & Daughters',
      number: '6120-A',
      overallLimit: 90000,
      deductible: 250,
      startsInDays: -300,
      endsInDays: 65,
      covers: { share: 0.5, primary: true },
    },
  ],
}

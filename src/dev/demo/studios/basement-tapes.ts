import type { StudioProfile } from './profile.ts'

/** A home studio on the twelfth day before the end of its Pro trial: one location, as that plan has it. */
export const basementTapes: StudioProfile = {
  name: 'Basement Tapes',
  timezone: 'America/New_York',
  currency: 'USD',
  poundsRate: 1.28,
  label: 'BT',
  owner: { email: 'dee@basementtapes.example', name: 'Dee Marchetti' },
  team: [
    { email: 'wes@basementtapes.example', name: 'Wes Okafor', role: 'member' },
    { email: 'aylin@kanal9.example', name: 'Aylin Demir', role: 'member' },
  ],
  plan: { plan: 'pro', status: 'trialing', trialEndsInDays: 12, periodStartsInDays: -2, periodEndsInDays: 12 },
  items: { live: 34, archived: 1, maxPrice: 3000 },
  maintenanceRecords: 14,
  workshops: ['Kingston Amp Works', 'Hudson Synth Service'],
  places: [
    {
      name: 'Basement Tapes',
      type: 'site',
      address: {
        line1: '218 Alder Street',
        city: 'Kingston',
        region: 'NY',
        postalCode: '12401',
        countryCode: 'US',
      },
    },
  ],
  policies: [
    {
      name: 'Home studio equipment',
      type: 'equipment_floater',
      carrier: 'Catskill Mutual',
      number: 'CM-EF-55102',
      overallLimit: 40000,
      deductible: 500,
      perils: ['fire', 'theft', 'flood'],
      startsInDays: -66,
      endsInDays: 299,
      covers: { share: 0.6, primary: true },
    },
    {
      name: 'Weekend touring',
      type: 'touring_rider',
      carrier: 'Catskill Mutual',
      startsInDays: -20,
      covers: { categories: ['Amplifiers & Cabinets', 'Guitars & Basses'], share: 0.5, primary: false },
    },
  ],
}

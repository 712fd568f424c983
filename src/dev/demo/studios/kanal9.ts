import type { StudioProfile } from './profile.ts'

/** A second studio on the Studio plan, to see that one studio's token never shows another studio. */
export const kanal9: StudioProfile = {
  name: 'Kanal 9 Tonstudio',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  poundsRate: 1.17,
  label: 'K9',
  owner: { email: 'jonas@kanal9.example', name: 'Jonas Brückner' },
  team: [
    { email: 'aylin@kanal9.example', name: 'Aylin Demir', role: 'admin' },
    { email: 'petra@kanal9.example', name: 'Petra Voss', role: 'member' },
  ],
  plan: { plan: 'studio', status: 'active', periodStartsInDays: -17, periodEndsInDays: 13 },
  items: { live: 58, archived: 2 },
  maintenanceRecords: 26,
  workshops: ['Röhrenwerk Neukölln', 'Klavierbau Seidel'],
  places: [
    {
      name: 'Kanal 9 Tonstudio',
      type: 'site',
      description: 'Hinterhaus, 2. Etage.',
      address: { line1: 'Uferzeile 9', city: 'Berlin', postalCode: '12047', countryCode: 'DE' },
    },
    { name: 'Regie 1', type: 'room', inside: 'Kanal 9 Tonstudio' },
    { name: 'Aufnahmeraum', type: 'room', inside: 'Kanal 9 Tonstudio', description: 'Parkett, 60 m².' },
    { name: 'Keller', type: 'storage', inside: 'Kanal 9 Tonstudio' },
  ],
  policies: [
    {
      name: 'Elektronikversicherung',
      type: 'studio_property',
      carrier: 'Spreebund Versicherung',
      number: 'SB-ELV-3310927',
      overallLimit: 240000,
      deductible: 500,
      perils: ['Feuer', 'Diebstahl', 'Leitungswasser', 'Überspannung'],
      startsInDays: -151,
      endsInDays: 214,
      covers: { share: 0.6, primary: true },
    },
    {
      name: 'Musikinstrumente, auch unterwegs',
      type: 'equipment_floater',
      carrier: 'Spreebund Versicherung',
      number: 'SB-MIV-3310928',
      overallLimit: 60000,
      startsInDays: -90,
      covers: { categories: ['Guitars & Basses', 'Keyboards & Synthesizers'], share: 0.6, primary: false },
    },
    {
      name: 'Elektronikversicherung (Vorjahr)',
      type: 'studio_property',
      carrier: 'Spreebund Versicherung',
      startsInDays: -517,
      endsInDays: -152,
      covers: { share: 0.15, primary: false },
    },
  ],
}

/** Tasks that a person starts from a menu. */
export const prompts = [
  {
    name: 'insurance_review',
    title: 'Review what is declared',
    description: 'What is under-declared or not declared at all, the largest gaps first.',
    text: `Review this studio's declared values. With get_valuation_summary by coverage_state say how many items, which estimated value and which declared value each state has.
Then read all pages of list_valuations with coverage_state under_covered, then uninsured; get_item has the name of an item.
List the largest gaps first, with name, estimated value, declared value and gap, and say which items have no known value.
End with the disclaimers: this is about recorded values, not about whether insurance would pay.`,
  },
  {
    name: 'maintenance_plan',
    title: 'Plan the next maintenance',
    description: 'What is overdue and what comes next, by date and place.',
    text: `Plan this studio's maintenance. Read the scheduled records with list_maintenance, and their items where you need the place.
List what is overdue, then what is due in the next 30 days, by date, with item, work, vendor and cost, and add up the known costs.
Name the records without a date at the end.`,
  },
] as const

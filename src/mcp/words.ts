/** The purpose of each operation's tool, with questions that people ask an assistant. */
export const purposes: Readonly<Record<string, string>> = {
  list_items:
    'Lists equipment, newest change first: "What did we add this month?", "Show the microphones that are not declared." Archived items are left out.',
  get_item:
    'Everything about one item: "What is the U 87 worth?", "Is it declared for enough?" Photo URLs work for one hour without a token.',
  list_item_policies: 'Which policies declare one item, and for how much: "Is this microphone insured, and where?"',
  list_valuations: 'What items are worth and declared for, item by item: "What is under-declared?"',
  get_valuation_summary:
    'Counts and sums of estimated, paid, replacement and declared values, by category, place, coverage state, source or policy: "What is all of it worth?", "How much is declared for the microphones in each room?"',
  list_locations: 'Where equipment is kept, with ids for `location_id`. On a Pro plan there is one location.',
  list_maintenance: 'Work to be done and done: "What is due for service?", "What has been repaired on this console?"',
  list_policies: 'Insurance policies that are active today: "Who insures us?", "Which policy ends next?"',
  get_policy: 'One policy, also one that has ended or is archived, with the number of items that it declares.',
  list_policy_items: 'What one policy declares, and for how much: "What is on the touring policy?"',
  list_removals: 'What has left the lists, and why: "What did we sell or archive recently?" Pass `updated_since`.',
  get_account: "The studio's name, plan, number of items, time zone, and the currency of all amounts.",
}

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

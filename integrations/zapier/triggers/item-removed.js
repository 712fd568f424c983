const { recent } = require('../pages')

/** Newest first. Removals of every list are in one; those of items are taken. */
const perform = async (z, { authData, meta }) => {
  const removals = await recent(z, `${authData.base_url}/v1/removals`, {}, 'removed_at', meta)
  return removals.filter(({ resource }) => resource === 'item')
}

module.exports = {
  key: 'item_removed',
  noun: 'Item',
  display: { label: 'Item Removed', description: 'Triggers when an item is archived or deleted.' },
  operation: {
    type: 'polling',
    perform,
    // An item that returned and is archived again comes again.
    outputFields: [
      { key: 'id', label: 'Id', primary: true },
      { key: 'removed_at', label: 'Removed At', type: 'datetime', primary: true },
      { key: 'reason', label: 'Reason' },
      { key: 'resource', label: 'Resource' },
    ],
    sample: {
      id: 'd5bf16cc-0456-4f93-88e8-26965e5cd1af',
      removed_at: '2026-03-02T08:42:28.740Z',
      reason: 'archived',
      resource: 'item',
    },
  },
}

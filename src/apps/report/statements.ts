/** A cursor's statement takes no parameters, so the day is written into it. @throws for what is no date */
function dateLiteral(day: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new Error('not a date')
  return `date '${day}'`
}

/** The items of the session's studio on a day. */
export const itemsOn = (day: string) => `api_v1.items_on(${dateLiteral(day)})`

/**
 * What items were declared under on a day: assignments and policies whose dates include it. A policy that is archived now is left out
 * of today's report and of later days; an earlier day shows it, marked, because nothing tells since when it is.
 */
export function coverOn(day: string, today: string): string {
  const on = dateLiteral(day)
  return `
    select a.item_id, a.declared_value, a.is_primary, p.id as policy_id, p.name, p.policy_number, p.carrier, p.archived
    from api_v1.assignments a
    join api_v1.policies p on p.id = a.policy_id
    where coalesce(a.effective_start, '-infinity') <= ${on} and coalesce(a.effective_end, 'infinity') >= ${on}
      and p.effective_start <= ${on} and coalesce(p.effective_end, 'infinity') >= ${on}
      and (not p.archived or ${on} < ${dateLiteral(today)})`
}

/** The lines of the schedule, by category and name. */
export function itemsStatement(day: string, today: string): string {
  return `
    with cover as materialized (${coverOn(day, today)}),
    declared as materialized (
      select c.item_id, json_agg(json_build_object('name', c.name, 'number', c.policy_number,
        'declared', c.declared_value::text, 'archived', c.archived) order by c.is_primary desc, c.name, c.policy_id) as policies
      from cover c group by c.item_id
    ),
    photos as materialized (
      select p.item_id, (array_agg(p.storage_key order by p.position, p.id))[1] as key, count(*)::integer as photos
      from service.item_photos p group by p.item_id
    )
    select i.id, i.name, i.manufacturer, i.model, i.serial_number as "serialNumber", i.barcode, i.category,
      case when above.name is null then coalesce(l.name, '') else above.name || ' › ' || l.name end as location,
      i.acquisition_date as acquired, i.purchase_price as "purchasePrice", i.current_estimated_value as value,
      i.value_source as source, i.reported_insured_value as declared, i.gap_amount as gap, i.coverage_state as coverage,
      coalesce(d.policies, '[]') as policies, f.key as "photoKey", coalesce(f.photos, 0) as photos
    from ${itemsOn(day)} i
    left join api_v1.locations l on l.id = i.location_id
    left join api_v1.locations above on above.id = l.parent_id
    left join declared d on d.item_id = i.id
    left join photos f on f.item_id = i.id
    order by i.category, i.name, i.id`
}

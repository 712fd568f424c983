--! Previous: sha1:395aac70a142abc4d20a1ef5000ea8cb933d90ef
--! Hash: sha1:64a55b38b6c11544654b99fce864cc2b30b6f023
--! Message: have declining methods valued anew

-- What the declining methods valued by a monthly rate is due at once: the service, which refreshes when it starts, values
-- it anew and moves what shows another value. Here no more is locked than these rows, and no item.
set local role studio_owner;

do $$
declare
  studio uuid;
begin
  for studio in select s.id from app.studios s order by s.id loop
    perform access.enter_studio(studio);
    update app.item_valuations v
    set revalue_on = access.current_studio_today()
    from app.items i
    where v.studio_id = studio and v.value_source = 'depreciated'
      and i.studio_id = v.studio_id and i.id = v.item_id
      and i.depreciation_method in ('declining_balance', 'double_declining_balance');
  end loop;
  perform access.enter_studio(null);
end
$$;

reset role;

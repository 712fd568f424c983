-- The whole schema as sorted lines of text, the same for the same schema on every supported server version (servers
-- write out aliases in views and SQL bodies differently, so one-letter aliases are left out before hashing a body).
with ours as (
  select n.oid, n.nspname from pg_catalog.pg_namespace n
  where n.nspowner = 'studio_owner'::regrole
), grants as (
  -- A null ACL is the owner's default; spelled out so that both look alike.
  select kind, object, coalesce(string_agg(line, ', ' order by line), '(none)') as acl
  from (
    select g.kind, g.object,
      case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end || '=' || string_agg(
        a.privilege_type || case when a.is_grantable then '*' else '' end, '+' order by a.privilege_type) as line
    from (
      select 'schema' as kind, nspname::text as object, coalesce(nspacl, acldefault('n', nspowner)) as acl
      from pg_namespace where nspname in (select nspname from ours) or nspname = 'public'
      union all
      select 'relation', c.oid::regclass::text, coalesce(relacl, acldefault('r', relowner))
      from pg_class c where relnamespace in (select oid from ours) and relkind in ('r', 'v')
      union all
      select 'sequence', c.oid::regclass::text, coalesce(relacl, acldefault('s', relowner))
      from pg_class c where relnamespace in (select oid from ours) and relkind = 'S'
      union all
      select 'column', c.oid::regclass || '.' || attname, attacl
      from pg_attribute join pg_class c on c.oid = attrelid
      where relnamespace in (select oid from ours) and attacl is not null
      union all
      select 'function', p.oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner))
      from pg_proc p where pronamespace in (select oid from ours)
      union all
      select 'language', lanname::text, coalesce(lanacl, acldefault('l', lanowner))
      from pg_language where lanname in ('sql', 'plpgsql')
      union all
      select 'database', 'this', coalesce(datacl, acldefault('d', datdba))
      from pg_database where datname = current_database()
    ) as g
    cross join lateral aclexplode(g.acl) as a
    -- The administrator's and the owner's own rights go without saying; MAINTAIN came with version 17.
    where a.grantee::regrole::text <> 'studio_owner'
      and (a.grantee = 0 or not exists (select from pg_roles r where r.oid = a.grantee and r.rolsuper))
      and a.privilege_type <> 'MAINTAIN'
    group by g.kind, g.object, a.grantee
  ) as l
  group by kind, object
)
select line from (
  select 'role ' || rolname || ' login=' || rolcanlogin || ' super=' || rolsuper || ' bypassrls=' || rolbypassrls
    || ' createrole=' || rolcreaterole || ' createdb=' || rolcreatedb || ' inherit=' || rolinherit
    || ' settings=' || coalesce(array_to_string(array(select unnest(rolconfig) order by 1), ', '), '') as line
  from pg_roles where rolname ~ '^studio_(owner|api|recorder|writer|console|graphql|analyst|auditor|backup)$'
  union all
  select 'schema ' || nspname || ' owner=' || nspowner::regrole from pg_namespace where oid in (select oid from ours)
  union all
  select 'domain ' || t.oid::regtype || ' ' || format_type(typbasetype, typtypmod) || ' '
    || coalesce((select string_agg(pg_get_constraintdef(c.oid), ' ') from pg_constraint c
      where c.contypid = t.oid and c.contype = 'c'), '')
  from pg_type t where typnamespace in (select oid from ours) and typtype = 'd'
  union all
  select 'table ' || c.oid::regclass || ' owner=' || relowner::regrole || ' rls=' || relrowsecurity || ' force='
    || relforcerowsecurity || ' options=' || coalesce(array_to_string(reloptions, ', '), '')
  from pg_class c where relnamespace in (select oid from ours) and relkind = 'r'
  union all
  select 'sequence ' || q.seqrelid::regclass || ' owner=' || relowner::regrole || ' ' || format_type(q.seqtypid, null)
    || ' start=' || q.seqstart || ' increment=' || q.seqincrement || ' min=' || q.seqmin || ' max=' || q.seqmax
    || ' cache=' || q.seqcache || ' cycle=' || q.seqcycle || ' persistence=' || c.relpersistence::text
  from pg_sequence q join pg_class c on c.oid = q.seqrelid where relnamespace in (select oid from ours)
  union all
  select 'column ' || c.oid::regclass || '.' || attname || ' #' || attnum || ' ' || format_type(atttypid, atttypmod)
    || case when attnotnull then ' not null' else '' end
    || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
    || case when attidentity <> '' then ' identity' else '' end
    || case when coalesce(attstattarget, -1) = 0 then ' without statistics' else '' end
  from pg_attribute join pg_class c on c.oid = attrelid
  left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum
  where relnamespace in (select oid from ours) and relkind in ('r', 'v', 'c') and attnum > 0 and not attisdropped
  union all
  select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
  from pg_constraint where connamespace in (select oid from ours) and conrelid <> 0 and contype <> 'n'
  union all
  select 'index ' || pg_get_indexdef(indexrelid)
  from pg_index join pg_class c on c.oid = indrelid where relnamespace in (select oid from ours)
  union all
  select 'view ' || c.oid::regclass || ' owner=' || relowner::regrole || ' options='
    || coalesce(array_to_string(reloptions, ', '), '')
    || ' body=' || md5(regexp_replace(pg_get_viewdef(c.oid), '\m[a-z]\.', '', 'g'))
  from pg_class c where relnamespace in (select oid from ours) and relkind = 'v'
  union all
  select 'function ' || p.oid::regprocedure || ' returns ' || pg_get_function_result(p.oid) || ' owner='
    || proowner::regrole || ' language=' || (select lanname from pg_language l where l.oid = prolang)
    || ' volatility=' || provolatile::text || ' strict=' || proisstrict || ' definer=' || prosecdef
    || ' settings=' || coalesce(array_to_string(proconfig, ', '), '') || ' body='
    || md5(regexp_replace(coalesce(pg_get_function_sqlbody(p.oid), prosrc), '\m[a-z]\.| AS(?= [a-z]\n)', '', 'g'))
  from pg_proc p where pronamespace in (select oid from ours)
  union all
  select 'trigger ' || tgrelid::regclass || ' ' || pg_get_triggerdef(t.oid)
  from pg_trigger t join pg_class c on c.oid = tgrelid where relnamespace in (select oid from ours) and not tgisinternal
  union all
  select 'policy ' || polrelid::regclass || ' "' || polname || '" command=' || polcmd::text || ' permissive=' || polpermissive
    || ' roles=' || array_to_string(array(select case when r = 0 then 'PUBLIC' else r::regrole::text end
      from unnest(polroles) r order by 1), ', ')
    || ' using ' || coalesce(pg_get_expr(polqual, polrelid), '') || ' with check '
    || coalesce(pg_get_expr(polwithcheck, polrelid), '')
  from pg_policy
  union all
  select 'comment ' || case d.classoid
      when 'pg_proc'::regclass then d.objoid::regprocedure::text
      when 'pg_namespace'::regclass then d.objoid::regnamespace::text
      when 'pg_type'::regclass then d.objoid::regtype::text
      else d.objoid::regclass || case when d.objsubid > 0 then '.' || (select attname from pg_attribute
        where attrelid = d.objoid and attnum = d.objsubid) else '' end end
    || ' ' || d.description
  from pg_description d
  where (d.classoid = 'pg_proc'::regclass and d.objoid in (select oid from pg_proc where pronamespace in (select oid from ours)))
     or (d.classoid = 'pg_class'::regclass and d.objoid in (select oid from pg_class where relnamespace in (select oid from ours)))
     or (d.classoid = 'pg_type'::regclass and d.objoid in (select oid from pg_type where typnamespace in (select oid from ours)))
     or (d.classoid = 'pg_namespace'::regclass and d.objoid in (select oid from ours))
  union all
  select 'grant ' || kind || ' ' || object || ' to ' || acl from grants
  union all
  select 'category ' || c.position || ' ' || c.category_group || ' / ' || c.name || ' ' || c.useful_life_months || ' '
    || c.residual_rate
  from app.categories c
) as lines
order by line collate "C"

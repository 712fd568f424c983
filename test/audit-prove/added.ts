/** Something through which an analyst sees another studio, and what the proof says about it. */
export type Hole = readonly [offence: string, shows: RegExp]

const names = `select string_agg(name, ',') from app.items`
const ids = `select string_agg(id::text, ',') from app.policies`

/** An administrator or an extension could have left these behind, in schema `planted`. */
export const added: Hole[] = [
  [
    `create table planted.copy as select serial_number from app.items;
      grant select on planted.copy to studio_analyst`,
    /select \* from planted\.copy -- 1 row with values of other studios: app\.items\.serial_number$/m,
  ],
  [
    `create table planted.wide as select name, model from app.items;
      grant select (model) on planted.wide to studio_analyst;
      create domain planted.one as inet;
      create domain planted.deep as planted.one`,
    /select model from planted\.wide -- 1 row with values/,
  ],
  [
    `create table planted.texts as
        select array['{"of": "' || studio_id || '"}', 'x'] as text from app.policies;
      grant select on planted.texts to studio_analyst`,
    /select \* from planted\.texts -- \d+ rows with values of other studios: app\.studios\.id$/m,
  ],
  [
    `create table planted.digests as select digest from access.tokens;
      grant select on planted.digests to studio_analyst`,
    /select \* from planted\.digests -- 1 row with values of other studios: access\.tokens\.digest$/m,
  ],
  [
    `create materialized view api_v1.planted as select policy_number from app.policies;
      grant select on api_v1.planted to studio_analyst`,
    /select \* from api_v1\.planted -- \d+ rows? with values of other studios: app\.policies\.policy_number/,
  ],
  [
    `create table planted.child () inherits (app.items);
      insert into planted.child (studio_id, id, name) select studio_id, id, name from only app.items;
      grant select on planted.child to studio_analyst`,
    /select \* from planted\.child -- \d+ rows with values of other studios/,
  ],
  [
    `create table planted.parts (studio_id uuid, name text) partition by list (name);
      create table planted.part partition of planted.parts default;
      insert into planted.parts select studio_id, name from app.policies;
      grant select on planted.part to studio_analyst`,
    /select \* from planted\.part -- \d+ rows with values of other studios/,
  ],
  [
    definer('planted.everything() returns setof app.items', 'select * from app.items'),
    /select planted\.everything\(\) -- \d+ answers with values of other studios/,
  ],
  [
    definer('planted.rows_of(count integer) returns setof record', 'select id, name from app.items limit count'),
    /: undecided: select planted\.rows_of\(integer\) -- not called/,
  ],
  [
    // A closed month has the name as well.
    definer('planted.one(item uuid, wanted text) returns text', 'select name from app.items where id = item'),
    /select planted\.one\(uuid,text\) -- \d+ answers? with values of other studios: app\.(closed_values|items)\.name/,
  ],
  [
    definer(
      `planted.told(name text default 'app.locations') returns setof text`,
      `begin return query execute 'select t::text from ' || name || ' t'; end`,
    ),
    /select planted\.told\(text\) -- \d+ answers with values of other studios/,
  ],
  [
    definer('planted.known(item uuid) returns boolean', 'select exists (select from app.items where id = item)'),
    /select planted\.known\(uuid\) -- answers otherwise about a value of \S+ than about one that nobody has$/m,
  ],
  [
    definer('planted.fails() returns int', `begin raise exception '%', (${names}); end`),
    /select planted\.fails\(\) -- \d+ answers? with values/,
  ],
  [
    definer('planted.notes(out done boolean)', `begin raise notice '%', (${names}); end`, 'procedure'),
    /call planted\.notes\(.*\) -- \d+ answers? with values/,
  ],
  [
    `${definer('planted.step(state text, more text) returns text', `select coalesce(state, '') || (${ids})`)};
      create aggregate planted.all_of(text) (sfunc = planted.step, stype = text)`,
    /select planted\.all_of\(text\) -- \d+ answers? with values of other studios/,
  ],
  ...['pg_catalog', 'information_schema'].map((schema): Hole => {
    const called = `select ${schema === 'pg_catalog' ? '' : 'information_schema\\.'}planted_ids\\(\\)`
    const shows = `${called} -- \\d+ answers with values of other studios: app\\.closed_values\\.item_id`
    return [definer(`${schema}.planted_ids() returns setof uuid`, 'select id from app.items'), new RegExp(shows)]
  }),
  ...'int4range int4multirange inet macaddr pg_lsn time integer[] record anyarray anyrange'.split(' ').map(strict),
  ...['planted.wide', 'planted.wide[]', 'planted.deep'].map(strict),
  [
    `create domain planted.narrow as text check (value = 'abracadabra');
      ${definer('planted.of_narrow(planted.narrow) returns setof uuid strict', 'select id from app.items')}`,
    /: undecided: select planted\.of_narrow\(planted\.narrow\) -- never called: it takes no value that was tried$/m,
  ],
  [
    `create type planted.empty as enum ();
      ${definer('planted.of_empty(planted.empty) returns setof uuid strict', 'select id from app.items')}`,
    /: undecided: select planted\.of_empty\(planted\.empty\) -- no value of planted\.empty is known$/m,
  ],
  [
    'grant select on pg_catalog.pg_authid to studio_analyst',
    /select \* from pg_catalog\.pg_authid -- readable, and on a new server nobody’s: .*rolpassword/,
  ],
  [
    'grant select (stavalues1) on pg_catalog.pg_statistic to studio_analyst',
    /select stavalues1 from pg_catalog\.pg_statistic -- readable, and on a new server nobody’s: stavalues1/,
  ],
  [
    'grant execute on function pg_catalog.pg_read_file(text) to studio_analyst',
    /select pg_read_file\(text\) -- executable, and on a new server nobody’s \(not called\)/,
  ],
  [
    `do $$ begin execute format('comment on table app.items is %L',
      (select 'seen: ' || id from app.items where name ~ 'Zq7canary' limit 1)); end $$`,
    /select \* from pg_catalog\.pg_description -- 1 row with values of other studios/,
  ],
]

/** A function with its owner's rights. */
function definer(signature: string, body: string, kind = 'function'): string {
  const language = body.startsWith('begin') ? 'plpgsql' : 'sql'
  return `create ${kind} ${signature} language ${language} security definer as $$ ${body} $$`
}

/** The proof never calls this function with null, and it answers every question. */
function strict(type: string): Hole {
  const name = `of_${type.replaceAll(/\W/g, '_')}`
  const signature = `planted.${name}(argument ${type}) returns setof uuid strict`
  const shows = `select planted\\.${name}\\(.*\\) -- \\d+ answers with values of other studios: app\\.closed_values\\.item_id`
  return [definer(signature, 'begin return query select id from app.items; end'), new RegExp(shows)]
}

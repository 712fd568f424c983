/** Something through which an analyst sees another studio, and what the proof says about it. */
export type Hole = readonly [offence: string, shows: RegExp]

/** An administrator or an extension could have left these behind, in schema `planted`. */
export const added: Hole[] = [
  [
    `create table planted.copy as select serial_number from app.items;
      grant select on planted.copy to studio_analyst`,
    /select \* from planted\.copy -- 1 row with values of other studios: app\.items\.serial_number$/m,
  ],
  [
    `create table planted.wide as select name, model from app.items;
      grant select (model) on planted.wide to studio_analyst`,
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
    'grant select on pg_catalog.pg_authid to studio_analyst',
    /select \* from pg_catalog\.pg_authid -- readable, and on a new server nobody’s: .*rolpassword/,
  ],
  [
    'grant select (stavalues1) on pg_catalog.pg_statistic to studio_analyst',
    /select stavalues1 from pg_catalog\.pg_statistic -- readable, and on a new server nobody’s: stavalues1/,
  ],
  [
    `do $$ begin execute format('comment on table app.items is %L',
      (select 'seen: ' || id from app.items where name ~ 'Zq7canary' limit 1)); end $$`,
    /select \* from pg_catalog\.pg_description -- 1 row with values of other studios/,
  ],
]

import { channelStatus, role, userStatus } from '@relay-hub/contract';
import type { openStorage } from '../../server/src/db/open.ts';
import { type BookedPrice, PriceBook } from '../../server/src/live/price-book.ts';
import { shapeOfName } from '../../server/src/name-shape.ts';
import type { Secrets } from '../../server/src/secrets.ts';
import { fingerprint, hintOf, randomText } from '../../server/src/secrets.ts';
import type { Chance } from './chance.ts';
import { addKey } from './seed-keys.ts';

type Db = ReturnType<typeof openStorage>['db'];

export interface SeedChannel {
  id: number;
  name: string;
  models: { name: string; price: BookedPrice }[];
  /** Its `cost_ratio`. */
  costRatio: number | null;
}

export interface SeedCaller {
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
}

/** Callers, models and channels. The first of each list are used most, see `Chance.pickBusy`. */
export interface SeedWorld {
  channels: SeedChannel[];
  callers: SeedCaller[];
}

const models = [
  ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-4.1-mini', 'gpt-5', 'gpt-5-mini', 'o3', 'o4-mini'],
  ['claude-sonnet-4-5', 'claude-haiku-4-5'],
  ['gemini-2.5-pro', 'gemini-2.5-flash'],
  ['deepseek-chat', 'deepseek-reasoner'],
  ['gpt-4o-mini', 'text-embedding-3-small', 'text-embedding-3-large'],
  ['mistral-large-latest', 'llama-3.1-8b-instant', 'moonshot-v1-8k'],
];
/** Places of channels, and their purchase price; one is unknown, and one above the list. */
const places = [
  ['us-east', 0.8],
  ['us-west', 0.72],
  ['eu-west', null],
  ['东京', 1.15],
  ['官方-主账号', 1],
] as const;
const tokenNames = ['prod-agent', '文档助手', 'ci-runner', 'research', '知识库索引', 'default'];

/** Adds users with tokens, and channels with priced models. Root gets tokens and calls most. */
export async function addWorld(
  db: Db,
  secrets: Secrets,
  chance: Chance,
  { users, since }: { users: number; since: number },
): Promise<SeedWorld> {
  const prices = new PriceBook(
    await db.selectFrom('prices').selectAll().where('valid_to', 'is', null).execute(),
    undefined,
  );
  const channels: SeedChannel[] = [];
  for (const [place, costRatio] of places) {
    for (const names of models)
      channels.push(await addChannel(db, secrets, prices, { name: `${names[0]!}-${place}`, names, costRatio, since }));
  }
  const callers: SeedCaller[] = [];
  const root = await db.selectFrom('users').where('username', '=', 'root').select('id').executeTakeFirstOrThrow();
  for (let n = 0; n < users; n++) {
    const username = n === 0 ? 'root' : `user-${String(n).padStart(4, '0')}`;
    const userId = n === 0 ? root.id : await addUser(db, username, since);
    const count = n === 0 ? tokenNames.length : chance.between(1, 5);
    for (const tokenName of tokenNames.slice(0, count))
      callers.push({
        userId,
        username,
        tokenName,
        tokenId: await addToken(db, secrets, { userId, name: tokenName, since }),
      });
  }
  return { channels, callers };
}

async function addChannel(
  db: Db,
  secrets: Secrets,
  prices: PriceBook,
  {
    name,
    names,
    costRatio,
    since,
  }: { name: string; names: readonly string[]; costRatio: number | null; since: number },
): Promise<SeedChannel> {
  const { id } = await db
    .insertInto('channels')
    .values({
      type: 1,
      name,
      status: channelStatus.enabled,
      // Port 9 refuses connections, so an accidental call has no effect.
      base_url: 'http://127.0.0.1:9',
      other: '',
      models: names.join(','),
      group: 'default',
      tag: '',
      priority: 0,
      weight: 1,
      model_mapping: '',
      model_headers: '',
      test_model: names[0]!,
      only_chat: false,
      pre_cost: 1,
      cost_ratio: costRatio,
      created_time: since,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await addKey(db, secrets, { channelId: id, since });
  const priced = names.flatMap((model) => {
    const price = prices.find(model);
    return price ? [{ name: model, price }] : [];
  });
  return { id, name, models: priced, costRatio };
}

async function addUser(db: Db, username: string, since: number): Promise<number> {
  const { id } = await db
    .insertInto('users')
    .values({
      username,
      username_shape: shapeOfName(username),
      display_name: username,
      // Disables sign-in for these users.
      password_hash: '',
      role: role.user,
      status: userStatus.enabled,
      group: 'default',
      created_time: since,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function addToken(
  db: Db,
  secrets: Secrets,
  { userId, name, since }: { userId: number; name: string; since: number },
): Promise<number> {
  const key = `sk-${randomText(48)}`;
  const { id } = await db
    .insertInto('tokens')
    .values({
      user_id: userId,
      name,
      key_hash: fingerprint(key.slice(3)),
      key_cipher: secrets.encrypt(key),
      key_hint: hintOf(key),
      status: 1,
      created_time: since,
      expired_time: -1,
      remain_quota: 0,
      unlimited_quota: true,
      group: '',
      enable_cache: false,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

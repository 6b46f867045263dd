import {
  type AttemptCost,
  channelStatus,
  creditsFor,
  exactCredits,
  logType,
  noUsage,
  role,
  userStatus,
  type Usage,
} from '@relay-hub/contract';
import { readCommand, whole, yes } from '../../server/src/process/command-line.ts';
import { shapeOfName } from '../../server/src/name-shape.ts';
import { hashPassword } from '../../server/src/passwords.ts';
import { Book, isHold } from '../../server/src/quota/book.ts';
import { script as bookScript } from '../../server/src/quota/book-statements.ts';
import { journalFolder } from '../../server/src/quota/journal.ts';
import { openRecall } from '../../server/src/quota/recall.ts';
import { post } from '../../server/src/quota/ledger.ts';
import { newRequestId } from '../../server/src/relay/reply/request-id.ts';
import { fingerprint, hintOf, randomText } from '../../server/src/secrets.ts';
import { PriceBook } from '../../server/src/live/price-book.ts';
import { openSeeded } from './open-seeded.ts';
import { seedKeys } from './seed-keys.ts';
import { seedMinutes } from './seed-minutes.ts';

const { calls, yes: isConfirmed } = readCommand({
  name: 'tool seed',
  about:
    'Fills a new database (DATA_DIR or DATABASE_URL) with channels, users and a week of calls, as a demonstration of the ' +
    'console. Every call goes through the accounting, so balances add up.',
  options: { calls: whole('<number>', 'default: 4000', 4000, 1), yes },
});
const now = Math.floor(Date.now() / 1000);

// A fixed seed, so that pictures do not change between runs.
let state = 20_261_120;
const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
const between = (low: number, high: number): number => Math.floor(low + random() * (high - low));

const { config, secrets, storage } = await openSeeded(isConfirmed, now - 8 * 86_400);
const { db } = storage;
const book = new Book({
  run: storage.prepare(bookScript),
  recall: openRecall(db, 'seed'),
  folder: journalFolder(config.dataDir),
  node: 'seed',
  log: { error: (facts: object) => process.stderr.write(`${JSON.stringify(facts)}\n`) },
});

const channels = [
  [
    'openai-us-east-primary',
    1,
    'gpt-4o,gpt-4o-mini,gpt-4.1,gpt-4.1-mini,gpt-5,gpt-5-mini,o3,o4-mini,text-embedding-3-small',
    20,
    10,
    'openai',
  ],
  ['openai-us-west-overflow', 1, 'gpt-4o,gpt-4o-mini,gpt-4.1-mini', 20, 6, 'openai'],
  ['deepseek-官方-主账号', 28, 'deepseek-chat,deepseek-reasoner', 10, 8, ''],
  ['mistral-eu', 30, 'mistral-large-latest', 5, 3, ''],
  ['groq-free', 31, 'llama-3.1-8b-instant', 0, 1, ''],
  ['openrouter-claude', 20, 'claude-sonnet-4-5,claude-haiku-4-5,gemini-2.5-pro', 15, 4, 'claude'],
  ['硅基流动-备用', 45, 'Qwen/Qwen3-32B', 0, 1, 'cn'],
  ['月之暗面', 29, 'moonshot-v1-8k', 5, 1, 'cn'],
] as const;
/** Purchase prices of the channels, in their order; the last two are unknown, and one is above the list. */
const costRatios = [0.8, 0.72, 0.9, 0.95, 0, 1.08] as const;
const channelIds: number[] = [];
for (const [at, [name, type, models, priority, weight, tag]] of channels.entries()) {
  const key = `sk-${randomText(40)}`;
  const { id } = await db
    .insertInto('channels')
    .values({
      name,
      type,
      models,
      priority,
      weight,
      tag,
      status: name === 'groq-free' ? channelStatus.disabled : channelStatus.enabled,
      base_url: '',
      other: '',
      group: priority > 10 ? 'default,vip' : 'default',
      model_mapping: '',
      model_headers: '',
      test_model: models.split(',')[0]!,
      only_chat: false,
      pre_cost: 1,
      cost_ratio: costRatios[at] ?? null,
      response_time: between(400, 3200),
      test_time: now - between(60, 80_000),
      created_time: now - 8 * 86_400,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('channel_keys')
    .values({
      channel_id: id,
      key_hash: fingerprint(key),
      key_cipher: secrets.encrypt(key),
      key_hint: hintOf(key),
      status: channelStatus.enabled,
      created_time: now - 8 * 86_400,
    })
    .execute();
  channelIds.push(id);
}

const people = ['root', 'liu.wei', 'chen_jing', 'yamada', 'marketing', 'ci-bot'];
const tokenNames = ['prod-agent', '文档助手', 'ci-runner', 'research', '知识库索引'];
const callers: { userId: number; username: string; tokenId: number; tokenName: string }[] = [];
const password = await hashPassword(randomText(16));
for (const username of people) {
  const found = await db.selectFrom('users').where('username', '=', username).select('id').executeTakeFirst();
  const userId = found?.id ?? (await addUser(username));
  for (const tokenName of username === 'root' ? tokenNames : tokenNames.slice(0, between(1, 3))) {
    const key = `sk-${randomText(48)}`;
    const { id: tokenId } = await db
      .insertInto('tokens')
      .values({
        user_id: userId,
        name: tokenName,
        key_hash: fingerprint(key.slice(3)),
        key_cipher: secrets.encrypt(key),
        key_hint: hintOf(key),
        status: 1,
        created_time: now - 7 * 86_400,
        expired_time: -1,
        remain_quota: 0,
        unlimited_quota: true,
        group: '',
        enable_cache: false,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    callers.push({ userId, username, tokenId, tokenName });
  }
}

async function addUser(username: string): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('users')
      .values({
        username,
        username_shape: shapeOfName(username),
        display_name: username,
        password_hash: password,
        role: role.user,
        status: userStatus.enabled,
        group: pick(['default', 'vip']),
        created_time: now - 7 * 86_400,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await post(trx, {
      user_id: id,
      kind: 'gift',
      credits: 500_000_000,
      reference: `gift:${id}`,
      actor_id: 1,
      remark: 'seed',
      created_time: now - 7 * 86_400,
    });
    return id;
  });
}

const prices = new PriceBook(
  await db.selectFrom('prices').selectAll().where('valid_to', 'is', null).execute(),
  undefined,
);
const start = now - 7 * 86_400;
for (let i = 0; i < calls; i++) {
  // More calls by day than by night, the newest a few seconds old.
  const at = Math.floor(start + ((i + 1) / calls) * (now - start)) - 2;
  await seedCall(i % 9 < 6 ? callers.filter(({ username }) => username === 'root') : callers, at);
}

async function seedCall(from: typeof callers, at: number): Promise<void> {
  const index = pick([0, 0, 0, 1, 2, 2, 3, 5, 5]);
  const [name, , models] = channels[index]!;
  const model = pick(models.split(','));
  const price = prices.find(model);
  const caller = pick(from);
  if (!price) return;
  const rates = price.ratesFor(1);
  const failed = random() < (name.startsWith('mistral') ? 0.12 : 0.006);
  const embedding = model.startsWith('text-embedding');
  const prompt = between(200, 9000);
  const cached = random() < 0.4 ? Math.floor(prompt * random() * 0.8) : 0;
  const usage: Usage = failed
    ? noUsage
    : { ...noUsage, input: prompt - cached, cached, output: embedding ? 0 : between(40, 1600) };
  const costRatio = costRatios[index];
  const cost: AttemptCost | undefined = failed
    ? { credits: '0', by: 'refused' }
    : costRatio === undefined
      ? undefined
      : { credits: exactCredits(price.ratesFor(costRatio), usage), by: 'multiple' };
  const requestId = newRequestId();
  const total = between(300, 9000);
  const first = Math.floor(total * (0.1 + random() * 0.3));
  const isStream = !embedding && random() < 0.7;
  const reserved = creditsFor(rates, { ...noUsage, input: prompt }) + 500;
  const hold = await book.reserve({
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    limited: false,
    reserved,
    priceVersion: price.version,
    model,
  });
  if (!isHold(hold)) throw new Error('the seed has insufficient credits');
  await book.settle(hold, {
    requestId,
    channelId: channelIds[index]!,
    credits: failed ? 0 : creditsFor(rates, usage),
    now: at,
    failed,
    channelError: failed ? '503 The engine is overloaded' : '',
    log: {
      content: '',
      username: caller.username,
      tokenName: caller.tokenName,
      model,
      promptTokens: usage.input + usage.cached,
      completionTokens: usage.output,
      cachedTokens: usage.cached,
      requestTimeMs: total,
      isStream,
      sourceIp: `203.0.113.${between(2, 250)}`,
      metadata: JSON.stringify({
        group_name: 'default',
        price_type: price.type,
        group_ratio: 1,
        input_ratio: price.input,
        output_ratio: price.output,
        ...(usage.cached > 0 && {
          cached_tokens: usage.cached,
          cached_tokens_ratio: price.extra_ratios.cached_tokens_ratio ?? 0.5,
        }),
        first_response: first,
        outcome: failed ? 'failed' : 'answered',
        price_version: price.version,
        usage_source: 'upstream',
        reserved,
        endpoint: embedding ? '/v1/embeddings' : '/v1/chat/completions',
        ...(failed ? { status: 503, error: 'upstream_status' } : { finish_reason: 'stop' }),
        attempts: [
          {
            channel_id: channelIds[index],
            channel_name: name,
            status: failed ? 503 : 200,
            start: 2,
            ms: total - 2,
            first_byte: first - 2,
            result: failed ? 'upstream_status' : 'ok',
            ...(failed && { message: '503 The engine is overloaded' }),
            ...(cost && { cost }),
          },
        ],
      }),
    },
  });
}

await book.close();
await seedKeys(db, secrets, { channelId: channelIds[0]!, more: 2, since: now - 7 * 86_400, random });
await seedMinutes(db, {
  callers,
  channels: channels
    .slice(0, 6)
    .map(([name, , models], at) => ({ id: channelIds[at]!, name, models: models.split(',') })),
  now,
  random,
});
await db.deleteFrom('journals').where('node', '=', 'seed').execute();

const { count } = await db
  .selectFrom('logs')
  .where('type', '=', logType.consume)
  .select(({ fn }) => fn.countAll<number>().as('count'))
  .executeTakeFirstOrThrow();
process.stdout.write(`${count} calls by ${people.length} users over ${channels.length} channels\n`);
await storage.close();

import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { ReplyPlace, SealedReply } from './reply-place.ts';

/** Names of the keys, in one slot of a cluster: replies by their key, users and bytes of replies, and when they end. */
const NAME = '{replies}';
const keys = [`${NAME}:of`, `${NAME}:ends`, `${NAME}:bytes`] as const;
/** Replies that one run of a script removes, and entries that one scan reads. */
const PIECE = 500;

/**
 * Removes replies by key and keeps the sum of their bytes right. Expects KEYS as in `keys`; defines `drop(key)`.
 */
const drop = `
local function drop(key)
  local about = redis.call('hget', KEYS[1], key)
  if about then
    redis.call('hdel', KEYS[1], key)
    redis.call('decrby', KEYS[3], string.match(about, '%d+$'))
  end
  redis.call('zrem', KEYS[2], key)
  redis.call('del', ARGV[1] .. key)
end
local function expired(now)
  for _, key in ipairs(redis.call('zrangebyscore', KEYS[2], '-inf', now, 'limit', 0, ${PIECE})) do drop(key) end
end`;

/** ARGV: prefix, now, key, user, sealed reply, end, most bytes. */
const put = `${drop}
expired(ARGV[2])
drop(ARGV[3])
local bytes = string.len(ARGV[5])
redis.call('set', ARGV[1] .. ARGV[3], ARGV[5], 'EX', ARGV[6] - ARGV[2])
redis.call('hset', KEYS[1], ARGV[3], ARGV[4] .. ':' .. bytes)
redis.call('zadd', KEYS[2], ARGV[6], ARGV[3])
local sum = redis.call('incrby', KEYS[3], bytes)
while sum > tonumber(ARGV[7]) do
  local first = redis.call('zrange', KEYS[2], 0, 0)[1]
  if not first then break end
  drop(first)
  sum = tonumber(redis.call('get', KEYS[3]))
end
return 1`;

/** ARGV: prefix, now. Returns the number of replies and their bytes. */
const size = `${drop}
expired(ARGV[2])
return {redis.call('zcard', KEYS[2]), tonumber(redis.call('get', KEYS[3]) or 0)}`;

/** ARGV: prefix, then keys. */
const remove = `${drop}
for at = 2, #ARGV do drop(ARGV[at]) end
return 1`;

const PREFIX = `relay-hub:${NAME}:`;

/** Cached replies in Redis, which all nodes share. The connection is opened by the first use. */
export class RepliesInRedis implements ReplyPlace {
  readonly #url: string;
  readonly #log: Pick<Logger, 'debug'>;
  #opening: Promise<Redis> | undefined;

  constructor(url: string, log: Pick<Logger, 'debug'>) {
    this.#url = url;
    this.#log = log;
  }

  #open(): Promise<Redis> {
    return (this.#opening ??= import('ioredis').then(({ Redis: Client }) => {
      const redis = new Client(this.#url, { maxRetriesPerRequest: 1, commandTimeout: 500, keyPrefix: 'relay-hub:' });
      // An outage is logged by the limits of rate, which are in the same Redis.
      redis.on('error', (error: Error) => this.#log.debug({ err: error.message }, 'redis is not reachable'));
      return redis;
    }));
  }

  async get(key: string): Promise<string | undefined> {
    const redis = await this.#open();
    return (await redis.get(`${NAME}:${key}`)) ?? undefined;
  }

  async put({ key, userId, sealed, now, until }: SealedReply, most: number): Promise<void> {
    const redis = await this.#open();
    await redis.eval(put, keys.length, ...keys, PREFIX, now, key, userId, sealed, until, most);
  }

  async clear(userId?: number): Promise<void> {
    const redis = await this.#open();
    let cursor = '0';
    do {
      const [next, found] = await redis.hscan(keys[0], cursor, 'COUNT', PIECE);
      cursor = next;
      const gone: string[] = [];
      for (let at = 0; at < found.length; at += 2)
        if (userId === undefined || found[at + 1]?.startsWith(`${userId}:`)) gone.push(found[at] ?? '');
      if (gone.length > 0) await redis.eval(remove, keys.length, ...keys, PREFIX, ...gone);
    } while (cursor !== '0');
  }

  async size(now: number): Promise<{ replies: number; bytes: number }> {
    const redis = await this.#open();
    const [replies, bytes] = (await redis.eval(size, keys.length, ...keys, PREFIX, now)) as [number, number]; // what the script returns
    return { replies, bytes };
  }

  /** Redis removes replies itself, and their entries go with the next reply that is kept. */
  async prune(now: number): Promise<void> {
    if (this.#opening) await this.size(now);
  }

  close(): void {
    void this.#opening?.then((redis) => redis.disconnect());
  }
}

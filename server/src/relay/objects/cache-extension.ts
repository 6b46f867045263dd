import { noUsage, ratesOf } from '@relay-hub/contract';
import { type Json, objectOr, parseJson as parsed, textOr } from '#json.ts';
import type { Db } from '#db/tables.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import { type AdmittedCaller, type CallPlan, type ChargedWork } from '#relay/call/charged-call.ts';
import type { ChannelChoice, HttpContext } from '#relay/types/call-types.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { type CacheRecord, sendCache } from './cache-creation.ts';
import {
  cachePrice,
  cacheRelayCall,
  cachesNotAvailable,
  exchangeCache,
  type FinishedCacheCall,
} from './cache-exchange.ts';
import { lifetimeIn, tokenHours } from './cache-lifetime.ts';
import { fileNotFound, keptAt, noLongerKept } from '#relay/state/object-refusals.ts';
import { readJsonObject } from '#relay/admission/read-json-object.ts';
import { googlePath } from './google-path.ts';

interface ExtensionPlan extends CallPlan {
  body: Json;
  /** The stored record before the change. */
  before: string;
  record: CacheRecord;
  until: number;
}

const freeTerms = { type: 'tokens', input: 0, output: 0 } as const;

/**
 * Changes the lifetime of a cache. An extension beyond the charged lifetime is charged; shortening is not refunded.
 */
export class CacheExtension implements ChargedWork<ExtensionPlan, FinishedCacheCall> {
  readonly dialect = 'gemini';
  readonly #context: HttpContext;
  readonly #name: string;
  #claim: BodyClaim | undefined;

  constructor(context: HttpContext, name: string) {
    this.#context = context;
    this.#name = name;
  }

  async plan(admitted: AdmittedCaller): Promise<ExtensionPlan> {
    const { deps, trace } = this.#context;
    const { db, live } = deps;
    const { json: body, claim } = await readJsonObject(this.#context, admitted.caller.userId, { kind: 'google' });
    this.#claim = claim;
    const now = deps.now();
    const until = now + lifetimeIn(body, now, 'given');
    const row = await db
      .selectFrom('upstream_objects')
      .where('object_id', '=', this.#name)
      .where('kind', '=', 'cache')
      .where('user_id', '=', admitted.caller.userId)
      .where('expires_at', '>', now)
      .select(['channel_id', 'key_id', 'tokens', 'data'])
      .executeTakeFirst();
    if (!row) throw fileNotFound(this.#name);
    const stored = objectOr(parsed(row.data));
    const model = textOr(stored['model'], '');
    const paidUntil = Number(stored['paidUntil']);
    trace.model = model;
    const { channel, key } = keptAt(deps, { channelId: row.channel_id, keyId: row.key_id }, 'cache');
    const operation = channel.provider.raw;
    if (!operation) throw noLongerKept('cache');
    const price = cachePrice(live.prices, model);
    if (!price) throw cachesNotAvailable(model);
    const moreS = Math.max(0, until - paidUntil);
    const assumed = { ...noUsage, output: tokenHours(row.tokens, moreS) };
    const call = cacheRelayCall(this.#context, admitted, { model, inputTokens: 0, assumed });
    const free: Pick<ChannelChoice, 'price' | 'rates'> = {
      price: { ...price, ...freeTerms, ratesFor: (ratio) => ratesOf(freeTerms, ratio) },
      rates: ratesOf(freeTerms, 1),
    };
    const charged = moreS > 0 ? { price, rates: price.ratesFor(admitted.group.ratio) } : free;
    const choice: ChannelChoice = {
      channel,
      key,
      operation,
      upstreamModel: model,
      billedModel: price.model,
      ...charged,
    };
    const record: CacheRecord = {
      shown: objectOr(stored['shown']),
      model,
      paidUntil: Math.max(paidUntil, until),
    };
    return { call, choice, body, before: row.data, record, until };
  }

  /** The time is recorded as charged before Google is asked, so that of two changes at once only one charges it. */
  async run({ call, choice, body, before, record, until }: ExtensionPlan): Promise<FinishedCacheCall> {
    const { deps } = this.#context;
    const { userId } = call.caller;
    const claimed = JSON.stringify(record);
    if (!(await this.#replace(deps.db, userId, before, { data: claimed }))) throw changedAtOnce();
    const path = googlePath(this.#context);
    const finished = await exchangeCache(this.#context, call, choice, { method: 'PATCH', path, body });
    const { cache, verdict } = finished;
    if (!cache) {
      await this.#replace(deps.db, userId, claimed, { data: before });
      return finished;
    }
    verdict.usageSource = 'upstream';
    finished.content = `Cache kept longer: ${verdict.usage.output} token-hours`;
    const { contents: _, systemInstruction: __, tools: ___, ...shown } = cache;
    await this.#replace(deps.db, userId, claimed, { data: JSON.stringify({ ...record, shown }), expires_at: until });
    return finished;
  }

  /** False: the record has changed meanwhile. */
  async #replace(
    db: Db,
    userId: number,
    before: string,
    changes: { data: string; expires_at?: number },
  ): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('upstream_objects')
      .set(changes)
      .where('object_id', '=', this.#name)
      .where('kind', '=', 'cache')
      .where('user_id', '=', userId)
      .where('data', '=', before)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  finish({ call }: ExtensionPlan, finished: FinishedCacheCall): void {
    sendCache(this.#context, call.rate, finished);
  }

  release(): void {
    this.#claim?.release();
  }
}

const changedAtOnce = (): RelayError =>
  new RelayError(409, 'The cache is being changed by another request. Try again.', {
    type: 'invalid_request_error',
    code: 'conflict',
  });

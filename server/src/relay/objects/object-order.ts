import { newRelayCall } from '#relay/call/new-relay-call.ts';
import { bareRequest } from '#relay/types/parsed-request.ts';
import { readJsonObject } from '#relay/admission/read-json-object.ts';
import { keptAt, noLongerKept } from '#relay/state/object-refusals.ts';
import type { Buffer } from 'node:buffer';
import type { PriceTerms, Usage } from '@relay-hub/contract';
import { type Json } from '#json.ts';
import type { Deps } from '#deps.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { BookedPrice } from '#live/price-book.ts';
import { type AdmittedCaller, type CallPlan, type ChargedWork } from '#relay/call/charged-call.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import { exchangeObject, type FinishedObjectCall } from './object-exchange.ts';

/** A checked request that costs something. */
export interface PricedOrder {
  place: StatePlace;
  /** Sent upstream. */
  body: Json;
  /** Charged if the provider accepts. */
  usage: Usage;
  /** For the log row. */
  content: string;
  /** Records the object, and returns what the caller receives. */
  learn?(reply: Json): Promise<Json>;
}

/** How a path orders something at a provider. */
export interface OrderTerms {
  /** The path in logs and metrics. */
  prefix: string;
  /** Name and type of the price. Without such a price, the path does not exist. */
  price: { name: string; type: PriceTerms['type'] };
  /** Reads a request. Rejects with a `RelayError` for one that is refused. */
  order(admitted: AdmittedCaller, json: Json, bytes: Buffer): Promise<PricedOrder>;
}

interface OrderPlan extends CallPlan {
  order: PricedOrder;
}

/** The price of a path; undefined: the operator has set none, or one of another type. */
export function pathPrice({ live }: Pick<Deps, 'live'>, { name, type }: OrderTerms['price']): BookedPrice | undefined {
  const price = live.prices.exact(name);
  return price?.type === type ? price : undefined;
}

/** 404, as for any unknown path: without a price, the provider's bill could not be passed on. */
const notOffered = (prefix: string): RelayError =>
  new RelayError(404, `The path ${prefix} is not available here.`, {
    type: 'invalid_request_error',
    code: 'unknown_url',
  });

/** Orders something at the provider that keeps an object, at a price that is known before. */
export class ObjectOrder implements ChargedWork<OrderPlan, FinishedObjectCall> {
  readonly dialect = 'openai';
  readonly #context: HttpContext;
  readonly #terms: OrderTerms;
  #claim: BodyClaim | undefined;

  constructor(context: HttpContext, terms: OrderTerms) {
    this.#context = context;
    this.#terms = terms;
  }

  async plan(admitted: AdmittedCaller): Promise<OrderPlan> {
    const { deps, trace } = this.#context;
    const { prefix, price: named } = this.#terms;
    const price = pathPrice(deps, named);
    if (!price) throw notOffered(prefix);
    trace.model = price.model;
    const { body, json, claim } = await readJsonObject(this.#context, admitted.caller.userId);
    this.#claim = claim;
    const order = await this.#terms.order(admitted, json, body);
    const { channel, key } = keptAt(deps, order.place, 'object');
    const operation = channel.provider.raw;
    if (!operation || channel.provider.sign) throw noLongerKept('object');
    return {
      call: newRelayCall(
        this.#context,
        { ...admitted, pin: undefined },
        {
          operation: 'raw',
          dialect: 'openai',
          request: bareRequest(price.model, {
            inputTokens: order.usage.input,
            outputLimit: 0,
            assumed: order.usage,
          }),
          endpoint: prefix,
          claim: this.#claim,
        },
      ),
      choice: {
        channel,
        key,
        operation,
        upstreamModel: price.model,
        billedModel: price.model,
        price,
        rates: price.ratesFor(admitted.group.ratio),
      },
      order,
    };
  }

  async run({ call, choice, order }: OrderPlan): Promise<FinishedObjectCall> {
    const finished = await exchangeObject(this.#context, call, choice, {
      method: 'POST',
      path: pathAtProvider(this.#context),
      body: order.body,
      isAnswer: (json) => typeof json['object'] === 'string',
    });
    const { object, verdict } = finished;
    if (!object) return finished;
    // The amount was ordered, so nothing is estimated.
    verdict.usageSource = 'upstream';
    finished.content = order.content;
    if (order.learn) finished.object = await order.learn(object);
    return finished;
  }

  finish({ call }: OrderPlan, { object, verdict }: FinishedObjectCall): void {
    const { response, requestId } = this.#context;
    if (response.destroyed) return;
    if (!object) throw verdict.refusal!; // a verdict without an object has one
    sendJson(response, requestId, object, call.rate);
  }

  release(): void {
    this.#claim?.release();
  }
}

/** Path and query of a request at the provider. */
function pathAtProvider({ request }: Pick<HttpContext, 'request'>): string {
  const [path = '', query] = (request.url ?? '').split('?');
  return path.replace(/\/$/, '') + (query === undefined ? '' : `?${query}`);
}

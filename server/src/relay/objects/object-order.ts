import { Buffer } from 'node:buffer';
import type { PriceTerms, Usage } from '@relay-hub/contract';
import { type Json } from '#json.ts';
import type { Deps } from '#deps.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { BookedPrice } from '#live/price-book.ts';
import { type AdmittedCaller, type CallPlan, type ChargedWork } from '#relay/call/charged-call.ts';
import type { AuthenticatedCaller, HttpContext, RelayCall } from '#relay/types/call-types.ts';
import { parseObject, readBody } from '#relay/body/read-body.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import { exchangeObject, type FinishedObjectCall } from './object-exchange.ts';

/** A checked request that costs something. */
export interface PricedOrder {
  place: StatePlace;
  /** Sent upstream. */
  body: Json;
  /** What is charged if the provider accepts. */
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
    const { deps, request, trace } = this.#context;
    const { live } = deps;
    const { prefix, price: named } = this.#terms;
    const price = pathPrice(deps, named);
    if (!price) throw notOffered(prefix);
    trace.model = price.model;
    const claim = (this.#claim = deps.bodies.claim(admitted.caller.userId));
    const bytes = await readBody(request, { claim, whenLarge: () => undefined });
    const order = await this.#terms.order(admitted, parseObject(bytes), bytes);
    const channel = live.routes.channel(order.place.channelId);
    const key = channel?.keys.find(({ id }) => id === order.place.keyId);
    const operation = channel?.provider.raw;
    if (!channel || !key || !operation || channel.provider.sign)
      throw new RelayError(404, 'The account that keeps the object is no longer available.', {
        type: 'invalid_request_error',
        code: 'state_unavailable',
      });
    return {
      call: this.#call(admitted, price, order.usage),
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

  #call(
    { caller, sourceIp, group, except, rate, startMs }: AuthenticatedCaller & Pick<AdmittedCaller, 'rate' | 'startMs'>,
    { model }: BookedPrice,
    usage: Usage,
  ): RelayCall {
    const { deps, requestId } = this.#context;
    return {
      requestId,
      startMs,
      rate,
      operation: 'raw',
      dialect: 'openai',
      request: {
        model,
        stream: false,
        wantsUsage: false,
        inputTokens: usage.input,
        outputLimit: 0,
        usesTools: false,
        usesImages: false,
        assumed: usage,
      },
      caller,
      group,
      pin: undefined,
      except,
      endpoint: this.#terms.prefix,
      body: noBody,
      json: undefined,
      startedS: deps.now(),
      asList: false,
      sourceIp,
      reserved: 0,
      claim: this.#claim,
      pictures: undefined,
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

const noBody = Buffer.alloc(0);

/** Path and query of a request at the provider. */
function pathAtProvider({ request }: Pick<HttpContext, 'request'>): string {
  const [path = '', query] = (request.url ?? '').split('?');
  return path.replace(/\/$/, '') + (query === undefined ? '' : `?${query}`);
}

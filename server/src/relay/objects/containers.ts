/**
 * Containers of ordinary users. Their minutes are ordered and charged when they are created, at the price named
 * `container`, by gigabyte and minute. At the end they are deleted at their provider.
 */
import { noUsage } from '@relay-hub/contract';
import { textOr } from '#json.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { OrderTerms, PricedOrder } from './object-order.ts';
import { filesNamedIn, lifetimeIn, placeOfNew, rememberOwn } from './own-objects.ts';
import { isOpenAi } from './keepers.ts';

export const CONTAINERS_PATH = '/v1/containers';
export const containerPrice = { name: 'container', type: 'times' } as const;

const kind = 'container';
const terms = { kind, plural: 'containers', most: 100, keeps: isOpenAi } as const;
/** Gigabytes by the provider's names of sizes. */
const sizes: Readonly<Record<string, number>> = { '1g': 1, '4g': 4, '16g': 16, '64g': 64 };
const MOST_MINUTES = 20;
/** The provider charges no fewer. */
const LEAST_MINUTES = 5;

/** The order of a new container. */
export const newContainer = (context: HttpContext): OrderTerms => ({
  prefix: CONTAINERS_PATH,
  price: containerPrice,
  async order(admitted, json, bytes): Promise<PricedOrder> {
    const { deps } = context;
    const { userId, tokenId } = admitted.caller;
    const ordered = lifetimeIn(json['expires_after'], { unit: 'minutes', usual: MOST_MINUTES, most: MOST_MINUTES });
    const size = json['memory_limit'] ?? '1g';
    const gigabytes = typeof size === 'string' && Object.hasOwn(sizes, size) ? sizes[size] : undefined;
    if (gigabytes === undefined)
      throw badRequest(
        `'memory_limit' is not valid: it must be one of ${Object.keys(sizes).join(', ')}.`,
        'memory_limit',
      );
    const files = await filesNamedIn(deps, userId, json, bytes);
    const place = await placeOfNew(deps, admitted, files.place, terms);
    const minutes = Math.max(LEAST_MINUTES, ordered);
    const units = gigabytes * minutes;
    return {
      place,
      // Where the deletion at the end fails, the provider deletes the container when it is no longer used.
      body: { ...json, memory_limit: size, expires_after: { anchor: 'last_active_at', minutes: ordered } },
      usage: { ...noUsage, units },
      content: `Container of ${gigabytes} GB for ${minutes} minutes`,
      async learn(reply) {
        const id = textOr(reply['id'], '');
        if (id === '') return reply;
        const until = deps.now() + minutes * 60;
        await rememberOwn(deps, { userId, tokenId }, { kind, id, place, shown: reply, until });
        return { ...reply, expires_at: until };
      },
    };
  },
});

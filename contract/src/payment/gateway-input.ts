import * as z from 'zod/mini';
import { baseAddress, id, text } from '../values.ts';
import { orderCurrencies, gatewayTypes } from './codes.ts';

/** At most `places` decimals, so that the stored integer is the same number. */
const decimals = (max: number, places: number) =>
  z.number().check(
    z.gte(0),
    z.lte(max),
    z.refine((value) => Number.isInteger(Number((value * 10 ** places).toFixed(6))), { error: 'number.decimals' }),
  );

/** A JSON object of texts, or such an object as JSON text, as the product family sends it. */
const config = z.pipe(
  z.union([
    z.string().check(z.trim(), z.maxLength(60_000)),
    z.record(z.string(), z.string().check(z.trim(), z.maxLength(20_000))),
  ]),
  z.transform((value: string | Record<string, string>, context): Record<string, string> => {
    if (typeof value !== 'string') return value;
    const parsed = textsIn(value);
    if (parsed !== undefined) return parsed;
    context.issues.push({ code: 'custom', message: 'json.text_map', input: value, path: [] });
    return {};
  }),
);

function textsIn(json: string): Record<string, string> | undefined {
  if (json.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value ?? '')]));
  } catch {
    return undefined;
  }
}

const fields = {
  name: text(255, 1),
  /** Icon name or image URL. */
  icon: text(300),
  /** Origin of notification URLs; empty: the server address. */
  notify_domain: baseAddress,
  /** USD per order. */
  fixed_fee: decimals(1_000_000, 2),
  /** 0.05 = 5 %; applies in place of the fixed fee if above 0. */
  percent_fee: decimals(1, 4),
  currency: z.enum(orderCurrencies),
  sort: z.int().check(z.gte(0), z.lte(1_000_000)),
  enable: z.boolean(),
};

export const newGateway = z.object({
  type: z.enum(gatewayTypes),
  name: fields.name,
  icon: fields.icon,
  notify_domain: z._default(fields.notify_domain, ''),
  fixed_fee: z._default(fields.fixed_fee, 0),
  percent_fee: z._default(fields.percent_fee, 0),
  currency: fields.currency,
  /** Fields of the type; see `GET /api/payment/types`. */
  config: z._default(config, {}),
  sort: z._default(fields.sort, 0),
  enable: z._default(fields.enable, true),
});

/** Absent fields stay. In `config`, an absent, blank or masked secret stays. `type` must be the gateway's own. */
export const gatewayEdit = z.object({
  id,
  type: z.optional(z.enum(gatewayTypes)),
  name: z.optional(fields.name),
  icon: z.optional(fields.icon),
  notify_domain: z.optional(fields.notify_domain),
  fixed_fee: z.optional(fields.fixed_fee),
  percent_fee: z.optional(fields.percent_fee),
  currency: z.optional(fields.currency),
  config: z.optional(config),
  sort: z.optional(fields.sort),
  enable: z.optional(fields.enable),
});

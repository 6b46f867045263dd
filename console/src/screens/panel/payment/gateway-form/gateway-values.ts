import {
  gatewayEdit,
  keptSecret,
  newGateway,
  orderCurrencies,
  type GatewayField,
  type GatewayType,
  type PaymentGateway,
} from '@relay-hub/contract';
import type { Control } from 'react-hook-form';
import * as z from 'zod/mini';

const hundredths = (value: number) => Number.isInteger(Number((value * 100).toFixed(6)));

const fields = z.object({
  type: newGateway.shape.type,
  name: newGateway.shape.name,
  icon: newGateway.shape.icon,
  notify_domain: gatewayEdit.shape.notify_domain,
  fixed_fee: z.number().check(z.gte(0), z.lte(1_000_000), z.refine(hundredths, { error: 'number.decimals' })),
  /** In percent, unlike the contract's fraction. */
  percent_fee: z.number().check(z.gte(0), z.lte(100), z.refine(hundredths, { error: 'number.decimals' })),
  currency: z.enum(orderCurrencies),
  enable: z.boolean(),
  config: z.record(z.string(), z.string()),
});
export type GatewayInput = z.input<typeof fields>;
export type GatewayValues = z.output<typeof fields>;
export type GatewayControl = Control<GatewayInput, unknown, GatewayValues>;

/** The contract's rules; visible required fields must not be empty, except secrets that are stored. */
export function gatewayRules(types: readonly GatewayType[], stored: PaymentGateway | undefined) {
  const kept = stored ? configOf(stored) : {};
  const isComplete = (values: GatewayValues, { name, secret, required, fallback }: GatewayField) =>
    !required || fallback !== '' || Boolean(values.config[name]?.trim()) || (secret && kept[name] === keptSecret);
  const checks = types.flatMap(({ type, fields: ofType }) =>
    ofType.map((field) =>
      z.refine<GatewayValues>(
        (values) => values.type !== type || !isShown(field, values.config) || isComplete(values, field),
        { error: 'required', path: ['config', field.name] },
      ),
    ),
  );
  return fields.check(...checks);
}

/** Whether a field applies, by the value of the field that it depends on. */
export const isShown = ({ when }: GatewayField, config: Readonly<Record<string, string | undefined>>): boolean =>
  !when || when.values.includes(config[when.name] ?? '');

/** A stored gateway's configuration; set secrets are masked. */
export function configOf({ config }: Pick<PaymentGateway, 'config'>): Record<string, string> {
  try {
    return JSON.parse(config) as Record<string, string>; // the contract: JSON text of the type's fields
  } catch {
    // An unreadable configuration starts empty.
    return {};
  }
}

/** Initial texts of a type's fields. Secrets are empty: a stored one can only be replaced. */
export function configInput(type: GatewayType | undefined, stored: Readonly<Record<string, string>> = {}) {
  const texts = (type?.fields ?? []).map(({ name, kind, secret, fallback }): [string, string] => {
    const text = secret ? '' : (stored[name] ?? '');
    return [name, kind === 'choice' ? text || fallback : text];
  });
  return Object.fromEntries(texts);
}

/** Values of a new gateway. */
export const newInput = (type: GatewayType | undefined, name: string): GatewayInput => ({
  type: type?.type ?? 'epay',
  name,
  icon: type?.type ?? '',
  notify_domain: '',
  fixed_fee: 0,
  percent_fee: 0,
  currency: type?.currencies[0] ?? 'USD',
  enable: true,
  config: configInput(type),
});

/** Values of a stored gateway. */
export const storedInput = (gateway: PaymentGateway, type: GatewayType | undefined): GatewayInput => ({
  type: gateway.type,
  name: gateway.name,
  icon: gateway.icon,
  notify_domain: gateway.notify_domain,
  fixed_fee: gateway.fixed_fee,
  percent_fee: Number((gateway.percent_fee * 100).toFixed(2)),
  currency: gateway.currency,
  enable: gateway.enable,
  config: configInput(type, configOf(gateway)),
});

/** The sent values: the fraction of the percentage, and only the fields of the type that apply. */
export function bodyOf(
  { percent_fee, config, notify_domain, ...values }: GatewayValues,
  type: GatewayType | undefined,
) {
  const sent = (type?.fields ?? []).filter(
    (field) => isShown(field, config) && !(field.secret && !config[field.name]?.trim()),
  );
  return {
    ...values,
    notify_domain: notify_domain ?? '',
    percent_fee: Number((percent_fee / 100).toFixed(4)),
    config: Object.fromEntries(sent.map(({ name }) => [name, config[name] ?? ''])),
  };
}

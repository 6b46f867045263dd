import {
  explainCharge,
  extraKinds,
  type FeeEvent,
  inputTokens,
  noUsage,
  type PriceTerms,
  rulesFor,
  type Served,
  serviceModes,
  type ServiceMode,
  type Usage,
} from '@relay-hub/contract';
import { useId, useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Field, type FieldAria } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { Select, type SelectOption } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { localMoment, secondsOf } from '#ui/form/local-moment.ts';
import { formatPlain } from '#ui/format/number.ts';
import { ChargeItems } from './charge-table.tsx';

/** Groups whose ratio a charge can have. */
export interface RatedGroup {
  symbol: string;
  name: string;
  ratio: number;
}

interface Props {
  terms: PriceTerms;
  groups: readonly RatedGroup[];
  /** Symbol of the group chosen at first. */
  group: string | undefined;
}

/** An imagined call. */
interface Call {
  usage: Usage;
  mode: ServiceMode;
  region: string;
  reasoning: boolean;
  /** Unix seconds; null: now. */
  at: number | null;
  events: Partial<Record<FeeEvent, number>>;
}

const firstCall: Call = {
  usage: { ...noUsage, input: 10_000, output: 2000 },
  mode: 'standard',
  region: '',
  reasoning: false,
  at: null,
  events: {},
};

/** The charge of an imagined call, line by line, by the code that charges calls; asks only what the price depends on. */
export function PriceCalculator({ terms, groups, group: first }: Props) {
  const { t } = useTranslation(['charge', 'priceRule']);
  const [call, setCall] = useState(firstCall);
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  const [symbol, setSymbol] = useState(first);
  const group = groups.find((each) => each.symbol === symbol) ?? groups[0];
  const set = (change: Partial<Call>) => setCall((old) => ({ ...old, ...change }));
  const perCall = terms.type === 'times';
  const asked = dependenciesOf(terms);
  const usage = perCall ? { ...noUsage, units: call.usage.units } : call.usage;
  const served: Served = {
    modes: call.mode === 'standard' ? [] : [call.mode],
    region: call.region === '' ? undefined : call.region,
    promptTokens: inputTokens(usage),
    reasoning: call.reasoning || usage.reasoning > 0,
    at: call.at ?? now,
  };
  const rules = rulesFor(terms.rules ?? [], served);
  const ratio = group?.ratio ?? 1;
  const explained = explainCharge(terms, ratio, usage, { rules, events: call.events });
  const charge = { ...explained, perCall, groupRatio: String(ratio), shortfall: 0, agrees: true };
  const counted = perCall ? (['units'] as const) : countersOf(terms);
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="grid grid-cols-4 items-start gap-x-3 gap-y-3.5 max-sm:grid-cols-2">
        {counted.map((kind) => (
          <Count
            key={kind}
            label={kind === 'units' ? t('units') : t(`part_${kind}`)}
            value={call.usage[kind]}
            onChange={(count) => set({ usage: { ...call.usage, [kind]: count } })}
          />
        ))}
        {(terms.fees ?? []).map(({ event }) => (
          <Count
            key={event}
            label={t(`part_${event}`)}
            value={call.events[event] ?? 0}
            onChange={(count) => set({ events: { ...call.events, [event]: count } })}
          />
        ))}
        {asked.modes.length > 0 && (
          <Choice
            label={t('tier')}
            value={call.mode}
            options={(['standard', ...asked.modes] as const).map((mode) => ({
              value: mode,
              label: capitalised(t(`priceRule:modes.${mode}`)),
            }))}
            onChange={(mode) => set({ mode })}
          />
        )}
        {asked.regions.length > 0 && (
          <Choice
            label={t('region')}
            value={call.region}
            options={[
              { value: '', label: t('anyRegion') },
              ...asked.regions.map((value) => ({
                value,
                label: value === 'regional' ? capitalised(t('priceRule:regional')) : value,
              })),
            ]}
            onChange={(region) => set({ region })}
          />
        )}
        {groups.length > 1 && group && (
          <Choice
            label={t('group')}
            value={group.symbol}
            options={groups.map((each) => ({ value: each.symbol, label: `${each.name} ×${formatPlain(each.ratio)}` }))}
            onChange={setSymbol}
          />
        )}
        {asked.time && (
          <Field label={t('time')} className="col-span-2">
            {(aria) => (
              <input
                {...aria}
                type="datetime-local"
                className="box"
                value={localMoment(call.at ?? now)}
                onChange={(event) => set({ at: secondsOf(event.target.value) })}
              />
            )}
          </Field>
        )}
        {asked.reasoning && (
          <Toggle label={t('reasoningOn')}>
            {(id) => <Switch id={id} checked={call.reasoning} onChange={(reasoning) => set({ reasoning })} />}
          </Toggle>
        )}
      </div>
      <div className="grid grid-cols-1 gap-2" aria-live="polite">
        {explained.credits === 0 ? (
          <p className="text-13 text-ok">{t('free')}</p>
        ) : (
          <ChargeItems charge={charge} charged={explained.credits} terms={terms} rules={rules} />
        )}
        <p className="text-12 text-text3">{t('sameCode')}</p>
      </div>
    </div>
  );
}

/** Conditions that the rules of a price have. */
export function dependenciesOf({ rules = [] }: PriceTerms) {
  const modes = new Set(rules.flatMap((rule) => rule.modes ?? []));
  return {
    modes: serviceModes.filter((mode) => mode !== 'standard' && modes.has(mode)),
    regions: [...new Set(rules.flatMap((rule) => rule.regions ?? []))].toSorted(),
    reasoning: rules.some((rule) => rule.reasoning !== undefined),
    time: rules.some((rule) => rule.zone !== undefined || rule.valid_from !== undefined || rule.valid_to !== undefined),
  };
}

/** Input, the cache as the provider counts it, output, and other kinds with a separate rate. */
function countersOf({ extra_ratios: extra = {}, rules = [] }: PriceTerms) {
  const named = new Set([extra, ...rules.map(({ kinds = {} }) => kinds)].flatMap((each) => Object.keys(each)));
  const own = extraKinds.filter(({ key }) => named.has(key));
  const cached = own.some(({ kind }) => kind === 'cacheRead') ? [] : (['cached'] as const);
  const kinds = new Set([...cached, ...own.map(({ kind }) => kind)]);
  const inputs = extraKinds.filter(({ kind, side }) => side === 'input' && kinds.has(kind)).map(({ kind }) => kind);
  const outputs = extraKinds.filter(({ kind, side }) => side === 'output' && kinds.has(kind)).map(({ kind }) => kind);
  return ['input' as const, ...inputs, 'output' as const, ...outputs];
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const noRef = () => undefined;
const noBlur = () => undefined;
const most = 100_000_000;

function Count({ label, value, onChange }: { label: string; value: number; onChange: (value: number) => void }) {
  return (
    <Field label={label}>
      {(aria) => (
        <NumberBox
          aria={aria}
          inputRef={noRef}
          value={value}
          whole
          onChange={(next) => onChange(Math.min(most, Math.max(0, Math.round(next ?? 0))))}
          onBlur={noBlur}
        />
      )}
    </Field>
  );
}

interface ChoiceProps<V extends string> {
  label: string;
  value: V;
  options: readonly SelectOption<V>[];
  onChange: (value: V) => void;
}

function Choice<V extends string>({ label, value, options, onChange }: ChoiceProps<V>) {
  return (
    <Field label={label}>
      {(aria: FieldAria) => <Select aria={aria} value={value} options={options} onChange={onChange} />}
    </Field>
  );
}

function Toggle({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="flex min-h-9 items-center gap-3 self-end">
      <label htmlFor={id} className="text-13">
        {label}
      </label>
      {children(id)}
    </div>
  );
}

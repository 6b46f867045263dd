import { endingDates, extraKinds, type ExtraKind, extraRatio, serviceModes } from '@relay-hub/contract';
import { ArrowDown, ArrowUp, ChevronDown, X } from 'lucide-react';
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useFieldArray, useFormState, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { languageTag } from '#i18n/i18n.ts';
import { dayText } from '#domain/price-rules/rule-words.ts';
import { useRuleWords } from '#domain/price-rules/rule-summary.tsx';
import { zoneNames } from '#domain/token/zone-names.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Field, FieldBelow } from '#ui/form/field.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { localMoment, secondsOf } from '#ui/form/local-moment.ts';
import { NumberBox } from '#ui/form/number-box.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { Select } from '#ui/form/select.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import { useFormField } from '#ui/form/use-form-field.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { AddMenu } from '#ui/overlay/add-menu.tsx';
import { RatioField } from '#screens/panel/pricing/ratio-field.tsx';
import { unitOf } from '#screens/panel/pricing/pricing-search.ts';
import {
  conditionsOf,
  firstCondition,
  multipleBase,
  newRule,
  ruleKinds,
  ruleOf,
  type PriceFormMethods,
  type RuleKind,
} from './price-values.ts';
import { Toggles } from '#ui/form/toggles.tsx';

interface Props {
  form: PriceFormMethods;
}

const unit = unitOf('USD1M');

/** The rules of a price in words; each unfolds into its conditions and its effect. */
export function FormRules({ form }: Props) {
  const { t } = useTranslation('priceEdit');
  const { control } = form;
  const { fields, append, remove, move } = useFieldArray({ control, name: 'rules' });
  const perCall = useWatch({ control, name: 'type' }) === 'times';
  const [open, setOpen] = useState<number>();
  const list = useRef<HTMLOListElement>(null);
  const add = (kind: RuleKind) => {
    append(newRule(kind, perCall), { shouldFocus: false });
    setOpen(fields.length);
  };
  const shift = (from: number, to: number) => {
    if (to < 0 || to >= fields.length) return;
    const focused = document.activeElement?.getAttribute('data-rule-part');
    move(from, to);
    setOpen((now) => (now === from ? to : now === to ? from : now));
    // Moved elements lose the focus.
    requestAnimationFrame(() =>
      list.current?.children[to]?.querySelector<HTMLElement>(`[data-rule-part="${focused ?? 'summary'}"]`)?.focus(),
    );
  };
  const take = (at: number) => {
    remove(at);
    setOpen(undefined);
  };
  return (
    <DrawerSection title={t('rulesTitle')} text={fields.length === 0 ? t('noRules') : t('rulesText')}>
      {fields.length > 0 && (
        <ol ref={list} className="divide-y divide-line rounded-card border border-line">
          {fields.map(({ id }, at) => (
            <Rule
              key={id}
              form={form}
              at={at}
              last={at === fields.length - 1}
              perCall={perCall}
              open={open === at}
              onOpen={(on) => setOpen(on ? at : undefined)}
              onMove={(to) => shift(at, to)}
              onRemove={() => take(at)}
            />
          ))}
        </ol>
      )}
      <AddMenu
        label={t('addRule')}
        entries={() =>
          ruleKinds.map((kind) => ({
            label: t(`kinds.${kind}`),
            note: t(`kindNotes.${kind}`),
            onSelect: () => add(kind),
          }))
        }
      />
    </DrawerSection>
  );
}

interface RuleProps extends Props {
  at: number;
  last: boolean;
  perCall: boolean;
  open: boolean;
  onOpen: (open: boolean) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
}

function Rule({ form, at, last, perCall, open, onOpen, onMove, onRemove }: RuleProps) {
  const { t } = useTranslation('priceEdit');
  const words = useRuleWords();
  const message = useFieldMessage();
  const id = useId();
  const { control } = form;
  const values = useWatch({ control, name: `rules.${at}` });
  const { errors } = useFormState({ control, name: `rules.${at}` });
  const wrong = errors.rules?.[at];
  const problem = message(wrong?.message ?? wrong?.root?.message);
  const rule = ruleOf(values);
  const when = values && conditionsOf(values).length === 0 ? t('ruleNew') : words.when(rule ?? {});
  const name = rule ? words.rule(rule, { unit, groupRatio: 1, perCall }) : when;
  const shown = open || wrong !== undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    onMove(event.key === 'ArrowUp' ? at - 1 : at + 1);
  };
  return (
    <li onKeyDown={onKeyDown}>
      <div className="flex items-center gap-1 py-1 pr-1 pl-3">
        <button
          type="button"
          data-rule-part="summary"
          aria-expanded={shown}
          aria-controls={id}
          aria-label={t('edit', { name })}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          onClick={() => onOpen(!shown)}
          className="touch flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-tile text-left text-13"
        >
          <Icon of={ChevronDown} className={cx('flex-none transition-transform', !shown && '-rotate-90')} />
          <span className="min-w-0 break-words">{name}</span>
        </button>
        <IconButton
          label={t('moveUp', { name })}
          icon={ArrowUp}
          size="sm"
          data-rule-part="up"
          disabled={at === 0}
          onClick={() => onMove(at - 1)}
        />
        <IconButton
          label={t('moveDown', { name })}
          icon={ArrowDown}
          size="sm"
          data-rule-part="down"
          disabled={last}
          onClick={() => onMove(at + 1)}
        />
        <IconButton label={t('remove', { name })} icon={X} size="sm" onClick={onRemove} />
      </div>
      <div id={id}>{shown && values && <RuleFields form={form} at={at} perCall={perCall} />}</div>
      {problem !== undefined && (
        <div className="px-3 pb-2">
          <FieldBelow id={`${id}-problem`} error={problem} />
        </div>
      )}
    </li>
  );
}

type PartProps = Pick<RuleProps, 'form' | 'at'>;

function RuleFields({ form, at, perCall }: PartProps & { perCall: boolean }) {
  const { t } = useTranslation('priceEdit');
  const values = useWatch({ control: form.control, name: `rules.${at}` });
  const held = conditionsOf(values ?? {});
  const left = ruleKinds.filter((kind) => !held.includes(kind));
  const put = (kind: RuleKind, on: boolean) => {
    for (const [field, value] of Object.entries(firstCondition(kind)))
      form.setValue(`rules.${at}.${field as 'over'}`, on ? (value as number) : undefined, { shouldDirty: true }); // a field of this kind
    form.clearErrors(`rules.${at}`);
  };
  const parts: Record<RuleKind, ReactNode> = {
    length: <LengthFields form={form} at={at} />,
    tier: <TierField form={form} at={at} />,
    region: (
      <FormChips
        control={form.control}
        name={`rules.${at}.regions`}
        label={t('regionsLabel')}
        hideLabel
        hint={t('regionsHint')}
      />
    ),
    time: <TimeFields form={form} at={at} />,
    reasoning: <ReasoningField form={form} at={at} />,
    dates: <DateFields form={form} at={at} />,
  };
  return (
    <div className="grid grid-cols-1 gap-3 px-3 pt-1 pb-4">
      {ruleKinds
        .filter((kind) => held.includes(kind))
        .map((kind) => (
          <div
            key={kind}
            role="group"
            aria-label={t(`kinds.${kind}`)}
            className="grid grid-cols-[112px_1fr_34px] items-start gap-x-2 gap-y-1.5 max-sm:grid-cols-[1fr_40px]"
          >
            <span className="pt-2 text-13">{t(`kinds.${kind}`)}</span>
            <div className="min-w-0 max-sm:order-1 max-sm:col-span-2">{parts[kind]}</div>
            <IconButton
              label={t('removeCondition', { name: t(`kinds.${kind}`) })}
              icon={X}
              onClick={() => put(kind, false)}
            />
          </div>
        ))}
      {left.length > 0 && (
        <AddMenu
          label={t('addCondition')}
          entries={() => left.map((kind) => ({ label: t(`kinds.${kind}`), onSelect: () => put(kind, true) }))}
        />
      )}
      <hr className="border-dashed border-line" />
      <EffectFields form={form} at={at} perCall={perCall} />
    </div>
  );
}

function EffectFields({ form, at, perCall }: PartProps & { perCall: boolean }) {
  const { t } = useTranslation(['priceEdit', 'pricing', 'price', 'priceRule']);
  const { control, setValue } = form;
  const { value, change } = useFormField({ control, name: `rules.${at}.effect`, label: t('effect') });
  const [terms, rule] = useWatch({ control, name: ['extra_ratios', `rules.${at}`] });
  const [input, output] = useWatch({ control, name: ['input', 'output'] });
  const effect = value === 'replace' ? 'replace' : 'multiply';
  const base = { input: numberOf(input), output: numberOf(output) };
  const kinds = rule?.kinds ?? {};
  const set = extraKinds.filter(({ key }) => kinds[key] !== undefined);
  const left = extraKinds.filter(({ key }) => kinds[key] === undefined);
  const put = ({ key }: ExtraKind, ratio: number | undefined) => {
    const next = Object.fromEntries(
      Object.entries({ ...kinds, [key]: ratio }).filter(([, each]) => each !== undefined),
    );
    setValue(`rules.${at}.kinds`, Object.keys(next).length > 0 ? next : undefined, { shouldDirty: true });
  };
  const side = (name: 'input' | 'output') => (
    <RatioField
      control={control}
      name={`rules.${at}.${name}`}
      label={t(perCall ? 'pricing:perCall' : `pricing:${name}`)}
      base={effect === 'multiply' ? base[name] : 1}
      unit={perCall ? { ...unit, per: 1000 } : unit}
      suffix={perCall ? t('price:aCall') : undefined}
    />
  );
  return (
    <div className="grid grid-cols-1 gap-2 max-sm:gap-3.5">
      <Segmented
        label={t('effect')}
        value={effect}
        options={[
          { value: 'multiply', label: t('multiply') },
          { value: 'replace', label: t('replace') },
        ]}
        onChange={change}
      />
      {side('input')}
      {!perCall && side('output')}
      {!perCall &&
        set.map((kind) => (
          <RatioField
            key={kind.key}
            control={control}
            name={`rules.${at}.kinds.${kind.key}`}
            label={t(`priceRule:kinds.${kind.kind}`)}
            times={t(
              effect === 'multiply'
                ? 'timesRate'
                : kind.side === 'input'
                  ? 'pricing:timesInput'
                  : 'pricing:timesOutput',
            )}
            base={multipleBase(kind, { effect, base, rule, extra: terms })}
            unit={kind.kind === 'audioSeconds' ? { ...unit, per: 1000, minute: true } : unit}
            onRemove={() => put(kind, undefined)}
          />
        ))}
      {!perCall && left.length > 0 && (
        <AddMenu
          label={t('addKind')}
          entries={() =>
            left.map((kind) => ({
              label: t(`priceRule:kinds.${kind.kind}`),
              onSelect: () => put(kind, effect === 'multiply' ? 1 : extraRatio(kind.kind, terms)),
            }))
          }
        />
      )}
    </div>
  );
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

function LengthFields({ form: { control }, at }: PartProps) {
  const { t } = useTranslation('priceEdit');
  const over = useFormField({ control, name: `rules.${at}.over`, label: t('over') });
  const most = useFormField({ control, name: `rules.${at}.up_to`, label: t('upTo') });
  const box = (field: typeof over, other: typeof over) => (
    <Field {...field.shell} hideLabel>
      {(aria) => (
        <NumberBox
          aria={aria}
          inputRef={field.ref}
          whole
          value={typeof field.value === 'number' ? field.value : null}
          // An empty limit is none, but one of the two is needed.
          onChange={(next) => field.change(next ?? (typeof other.value === 'number' ? undefined : null))}
          onBlur={field.blur}
          before={field.shell.label}
          after={t('tokens')}
        />
      )}
    </Field>
  );
  return (
    <div className="grid grid-cols-2 gap-2 max-sm:grid-cols-1">
      {box(over, most)}
      {box(most, over)}
    </div>
  );
}

function TierField({ form: { control }, at }: PartProps) {
  const { t } = useTranslation(['priceEdit', 'priceRule']);
  const { value, change, shell } = useFormField({ control, name: `rules.${at}.modes`, label: t('modesLabel') });
  return (
    <Field {...shell} hideLabel>
      {() => (
        <div className="pt-2">
          <Toggles
            options={serviceModes.map((mode) => ({ value: mode, label: t(`priceRule:modes.${mode}`) }))}
            values={Array.isArray(value) ? (value as (typeof serviceModes)[number][]) : []} // the options above
            onChange={change}
          />
        </div>
      )}
    </Field>
  );
}

function ReasoningField({ form: { control }, at }: PartProps) {
  const { t } = useTranslation('priceEdit');
  const { value, change } = useFormField({ control, name: `rules.${at}.reasoning`, label: t('kinds.reasoning') });
  return (
    <Segmented
      label={t('kinds.reasoning')}
      value={value === false ? 'no' : 'yes'}
      options={[
        { value: 'yes', label: t('reasoningYes') },
        { value: 'no', label: t('reasoningNo') },
      ]}
      onChange={(next) => change(next === 'yes')}
    />
  );
}

const weekdays = [1, 2, 3, 4, 5, 6, 7];

function TimeFields({ form: { control }, at }: PartProps) {
  const { t } = useTranslation('priceEdit');
  const zone = useFormField({ control, name: `rules.${at}.zone`, label: t('zone') });
  const days = useFormField({ control, name: `rules.${at}.days`, label: t('days') });
  const from = useFormField({ control, name: `rules.${at}.from`, label: t('dayFrom') });
  const to = useFormField({ control, name: `rules.${at}.to`, label: t('dayTo') });
  const rule = ruleOf(useWatch({ control, name: `rules.${at}` }));
  const [now] = useState(() => Date.now() / 1000);
  const ends = rule && endingDates(rule, now);
  const chosen = typeof zone.value === 'string' ? zone.value : '';
  const time = ({ shell, value, ref, change, blur }: typeof from) => (
    <Field {...shell}>
      {(aria) => (
        <input
          {...aria}
          ref={ref}
          className="box tabular-nums"
          inputMode="numeric"
          maxLength={5}
          autoComplete="off"
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => change(event.target.value === '' ? undefined : event.target.value)}
          onBlur={blur}
        />
      )}
    </Field>
  );
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="grid grid-cols-[1fr_84px_84px] gap-2 max-sm:grid-cols-2 max-sm:[&>*:first-child]:col-span-2">
        <Field {...zone.shell}>
          {(aria) => (
            <Select
              aria={aria}
              triggerRef={zone.ref}
              value={chosen}
              searchable
              options={zoneNames(chosen).map((value) => ({ value, label: value }))}
              onChange={zone.change}
              onBlur={zone.blur}
            />
          )}
        </Field>
        {time(from)}
        {time(to)}
      </div>
      <Field {...days.shell}>
        {() => (
          <Toggles
            options={weekdays.map((day) => ({ value: day, label: dayText(day, languageTag()) }))}
            values={Array.isArray(days.value) ? (days.value as number[]) : weekdays} // the options above
            onChange={(next) => days.change(next.length === weekdays.length ? undefined : next)}
          />
        )}
      </Field>
      <FormChips
        control={control}
        name={`rules.${at}.except`}
        label={t('exceptLabel')}
        hint={t('exceptHint')}
        placeholder="2027-01-31"
        optional
      />
      {ends !== undefined && <Note tone="warn">{t('exceptEnds', { date: ends })}</Note>}
    </div>
  );
}

function DateFields({ form: { control }, at }: PartProps) {
  const { t } = useTranslation('priceEdit');
  const from = useFormField({ control, name: `rules.${at}.valid_from`, label: t('validFrom') });
  const to = useFormField({ control, name: `rules.${at}.valid_to`, label: t('validTo') });
  const moment = ({ shell, value, ref, change, blur }: typeof from, other: typeof from) => (
    <Field {...shell}>
      {(aria) => (
        <input
          {...aria}
          ref={ref}
          type="datetime-local"
          className="box"
          value={typeof value === 'number' ? localMoment(value) : ''}
          onChange={(event) =>
            change(secondsOf(event.target.value) ?? (typeof other.value === 'number' ? undefined : null))
          }
          onBlur={blur}
        />
      )}
    </Field>
  );
  return (
    <div className="grid grid-cols-2 gap-2 max-sm:grid-cols-1">
      {moment(from, to)}
      {moment(to, from)}
    </div>
  );
}

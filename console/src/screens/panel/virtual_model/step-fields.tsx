import { type newVirtualModel, presences, ruleEndpoints, stepFailures, stickyKinds } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { useController, useFieldArray, useWatch, type Control as FormControl } from 'react-hook-form';
import type * as z from 'zod/mini';
import { useTranslation } from '#i18n/use-translation.ts';
import { languageTag } from '#i18n/i18n.ts';
import { modelNames } from '#api/model-names.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { zoneNames } from '#domain/token/zone-names.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { FieldBelow } from '#ui/form/field.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { FormNumber } from '#ui/form/form-number.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import { AddMenu } from '#ui/overlay/add-menu.tsx';
import { Toggles } from '#ui/form/toggles.tsx';

export type ModelValues = z.input<typeof newVirtualModel>;
export type Control = FormControl<ModelValues, unknown, z.output<typeof newVirtualModel>>;

type StepValues = ModelValues['steps'][number];
type When = NonNullable<StepValues['when']>;

const anything = {
  groups: [],
  endpoints: [],
  tools: 'any',
  images: 'any',
  prompt_from: 0,
  prompt_to: 0,
  header: null,
  time: null,
} satisfies When;

export const newStep = (): StepValues => ({
  models: [{ model: '', weight: 1 }],
  sticky: 'none',
  when: { ...anything },
  max_price: null,
  next_on: [...stepFailures],
});

/** Names of models that a step can lead to. */
export function useModelNames(): string[] {
  const { data = [] } = useQuery(modelNames);
  return data.filter((name) => !name.endsWith('*'));
}

interface PartProps {
  control: Control;
  at: number;
}

interface StepProps extends PartProps {
  count: number;
  onMove: (to: number) => void;
  onRemove: () => void;
}

/** A step of the chain: its models, its conditions and the failures that lead on. */
export function Step({ control, at, count, onMove, onRemove }: StepProps) {
  const { t } = useTranslation('virtualModel');
  const name = t('step', { number: at + 1 });
  return (
    <li className="grid grid-cols-1 gap-3 rounded-card border border-line px-3 pt-1.5 pb-3.5">
      <div className="flex items-center gap-1">
        <h3 className="min-w-0 flex-1 font-title text-14">{name}</h3>
        <IconButton
          label={t('moveUp', { name })}
          icon={ArrowUp}
          size="sm"
          disabled={at === 0}
          onClick={() => onMove(at - 1)}
        />
        <IconButton
          label={t('moveDown', { name })}
          icon={ArrowDown}
          size="sm"
          disabled={at === count - 1}
          onClick={() => onMove(at + 1)}
        />
        <IconButton label={t('removeStep', { name })} icon={X} size="sm" disabled={count === 1} onClick={onRemove} />
      </div>
      <Models control={control} at={at} />
      <Conditions control={control} at={at} />
      {at < count - 1 && <NextOn control={control} at={at} />}
    </li>
  );
}

function Models({ control, at }: PartProps) {
  const { t } = useTranslation('virtualModel');
  const names = useModelNames();
  const { fields, append, remove } = useFieldArray({ control, name: `steps.${at}.models` });
  const isShared = fields.length > 1;
  return (
    <div className="grid grid-cols-1 gap-2">
      {fields.map(({ id }, index) => (
        <div key={id} className={isShared ? 'grid grid-cols-[1fr_88px_34px] items-start gap-2' : ''}>
          <FormText
            control={control}
            name={`steps.${at}.models.${index}.model`}
            label={t('model')}
            hideLabel={index > 0}
            mono
            suggestions={names}
          />
          {isShared && (
            <>
              <FormNumber
                control={control}
                name={`steps.${at}.models.${index}.weight`}
                label={t('weight')}
                hideLabel={index > 0}
                whole
              />
              <IconButton
                label={t('removeModel')}
                icon={X}
                className={index === 0 ? 'mt-6' : ''}
                onClick={() => remove(index)}
              />
            </>
          )}
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {fields.length < 8 && (
          <Button
            variant="ghost"
            size="sm"
            icon={Plus}
            className="-ml-2"
            onClick={() => append({ model: '', weight: 1 })}
          >
            {t('addModel')}
          </Button>
        )}
        {isShared && (
          <FormSelect
            control={control}
            name={`steps.${at}.sticky`}
            label={t('sticky')}
            hideLabel
            className="w-56"
            options={stickyKinds.map((kind) => ({ value: kind, label: t(`stickyKinds.${kind}`) }))}
          />
        )}
      </div>
    </div>
  );
}

const conditionKinds = ['groups', 'endpoints', 'tools', 'images', 'prompt', 'header', 'time', 'price'] as const;
type ConditionKind = (typeof conditionKinds)[number];

/** The conditions of a step that are set. */
const isSet: Record<ConditionKind, (step: StepValues) => boolean> = {
  groups: ({ when }) => when?.groups !== undefined && when.groups.length > 0,
  endpoints: ({ when }) => when?.endpoints !== undefined && when.endpoints.length > 0,
  tools: ({ when }) => when?.tools !== undefined && when.tools !== 'any',
  images: ({ when }) => when?.images !== undefined && when.images !== 'any',
  prompt: ({ when }) => Boolean(when?.prompt_from || when?.prompt_to),
  header: ({ when }) => Boolean(when?.header),
  time: ({ when }) => Boolean(when?.time),
  price: ({ max_price: most }) => Boolean(most),
};

function Conditions({ control, at }: PartProps) {
  const { t } = useTranslation('virtualModel');
  const { field } = useController({ control, name: `steps.${at}` });
  const groups = Object.keys(useUserGroups());
  const step = useWatch({ control, name: `steps.${at}` });
  const held = conditionKinds.filter((kind) => isSet[kind](step));
  const put = (kind: ConditionKind, on: boolean) => {
    const first: Record<ConditionKind, Partial<When>> = {
      groups: { groups: groups.slice(0, 1) },
      endpoints: { endpoints: ['chat'] },
      tools: { tools: 'yes' },
      images: { images: 'yes' },
      prompt: { prompt_from: 0, prompt_to: 8000 },
      header: { header: { name: 'x-tier', value: '' } },
      time: { time: { from: '00:00', to: '08:00', days: [], zone: localTimeZone() } },
      price: {},
    };
    const names = Object.keys(first[kind]) as (keyof When)[]; // members of conditions
    const none = Object.fromEntries(names.map((name) => [name, anything[name]]));
    const when = { ...anything, ...step.when, ...(on ? first[kind] : none) };
    field.onChange({ ...step, when, ...(kind === 'price' && { max_price: on ? { input: 1, output: 4 } : null }) });
  };
  const at_ = `steps.${at}.when` as const;
  const parts: Record<ConditionKind, ReactNode> = {
    groups: (
      <FormChips
        control={control}
        name={`${at_}.groups`}
        label={t('kinds.groups')}
        hideLabel
        suggestions={groups}
        strict
      />
    ),
    endpoints: (
      <FormChips
        control={control}
        name={`${at_}.endpoints`}
        label={t('kinds.endpoints')}
        hideLabel
        suggestions={[...ruleEndpoints]}
        strict
      />
    ),
    tools: <PresenceField control={control} name={`${at_}.tools`} label={t('kinds.tools')} />,
    images: <PresenceField control={control} name={`${at_}.images`} label={t('kinds.images')} />,
    prompt: (
      <div className="grid grid-cols-2 gap-2">
        <FormNumber control={control} name={`${at_}.prompt_from`} label={t('from')} whole suffix={t('tokens')} />
        <FormNumber control={control} name={`${at_}.prompt_to`} label={t('to')} whole suffix={t('tokens')} />
      </div>
    ),
    header: (
      <div className="grid grid-cols-2 gap-2">
        <FormText control={control} name={`${at_}.header.name`} label={t('headerName')} mono />
        <FormText control={control} name={`${at_}.header.value`} label={t('headerValue')} mono />
      </div>
    ),
    time: <TimeFields control={control} at={at} />,
    price: (
      <div className="grid grid-cols-2 gap-2">
        <FormNumber control={control} name={`steps.${at}.max_price.input`} label={t('input')} suffix="$/1M" />
        <FormNumber control={control} name={`steps.${at}.max_price.output`} label={t('output')} suffix="$/1M" />
      </div>
    ),
  };
  const left = conditionKinds.filter((kind) => !held.includes(kind));
  return (
    <div className="grid grid-cols-1 gap-2.5">
      {held.map((kind) => (
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
          label={t(held.length > 0 ? 'addCondition' : 'firstCondition')}
          entries={() => left.map((kind) => ({ label: t(`kinds.${kind}`), onSelect: () => put(kind, true) }))}
        />
      )}
    </div>
  );
}

interface PresenceProps {
  control: Control;
  name: `steps.${number}.when.${'tools' | 'images'}`;
  label: string;
}

function PresenceField({ control, name, label }: PresenceProps) {
  const { t } = useTranslation('virtualModel');
  const { field } = useController({ control, name });
  return (
    <Segmented
      label={label}
      value={field.value === 'no' ? 'no' : 'yes'}
      options={presences.filter((each) => each !== 'any').map((value) => ({ value, label: t(`presence.${value}`) }))}
      onChange={field.onChange}
    />
  );
}

const weekdays = [1, 2, 3, 4, 5, 6, 7];
/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);

function TimeFields({ control, at }: PartProps) {
  const { t } = useTranslation('virtualModel');
  const name = `steps.${at}.when.time` as const;
  const { field } = useController({ control, name: `${name}.days` });
  const zone = useWatch({ control, name: `${name}.zone` });
  const days = field.value ?? [];
  const short = new Intl.DateTimeFormat(languageTag(), { weekday: 'short', timeZone: 'UTC' });
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="grid grid-cols-2 gap-2">
        <FormText control={control} name={`${name}.from`} label={t('from')} mono maxLength={5} />
        <FormText control={control} name={`${name}.to`} label={t('to')} mono maxLength={5} />
      </div>
      <Toggles
        options={weekdays.map((day) => ({ value: day, label: short.format(MONDAY + (day - 1) * 86_400_000) }))}
        values={days}
        onChange={field.onChange}
      />
      <FormSelect
        control={control}
        name={`${name}.zone`}
        label={t('zone')}
        hideLabel
        searchable
        options={zoneNames(zone).map((each) => ({ value: each, label: each }))}
      />
    </div>
  );
}

function NextOn({ control, at }: PartProps) {
  const { t } = useTranslation('virtualModel');
  const { field, fieldState } = useController({ control, name: `steps.${at}.next_on` });
  const message = useFieldMessage();
  const id = useId();
  return (
    <div role="group" aria-label={t('nextOn')} className="grid grid-cols-1 gap-1">
      <span className="text-13 text-text2">{t('nextOn')}</span>
      <Toggles
        options={stepFailures.map((failure) => ({ value: failure, label: t(`failures.${failure}`) }))}
        values={field.value ?? []}
        onChange={field.onChange}
      />
      <FieldBelow id={id} error={message(fieldState.error?.message)} />
    </div>
  );
}

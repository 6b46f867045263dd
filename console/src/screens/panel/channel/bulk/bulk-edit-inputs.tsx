import { splitList } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Field } from '#ui/form/field.tsx';
import { ChipsBox } from '#ui/form/chips-box.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { groupSymbols, tagNames } from '#screens/panel/channel/channel-api.ts';
import { modelPrices } from '#screens/panel/channel/channel-more-api.ts';
import { CapsFields } from '#screens/panel/channel/form/caps-fields.tsx';
import { changeFields, fieldTexts, type BulkEditField, type BulkEditValues, type How } from './bulk-edit-fields.ts';

interface Props {
  /** The fields on offer; a single one needs no checkbox. */
  fields: readonly BulkEditField[];
  values: BulkEditValues;
  onChange: (values: BulkEditValues) => void;
  /** API version that the channels are found by. */
  version?: { value: string; onChange: (version: string) => void } | undefined;
}

/** One line per field; only ticked ones count. */
export function BulkEditInputs({ fields, values, onChange, version }: Props) {
  const { t } = useTranslation('channelBulk');
  const set = (change: Partial<BulkEditValues>) => onChange({ ...values, ...change });
  const tick = (field: BulkEditField, on: boolean) =>
    set({ on: changeFields.filter((each) => (each === field ? on : values.on.includes(each))) });
  return (
    <div className="grid grid-cols-1 gap-1">
      {version && (
        <Line label={t('version')}>
          <input
            className="box"
            aria-label={t('version')}
            placeholder="2024-"
            value={version.value}
            onChange={(event) => version.onChange(event.target.value)}
          />
        </Line>
      )}
      {fields.map((field) => (
        <Line
          key={field}
          label={t(fieldTexts[field])}
          checked={values.on.includes(field)}
          onCheck={fields.length > 1 ? (on) => tick(field, on) : undefined}
        >
          {values.on.includes(field) && <Input field={field} values={values} onChange={set} />}
        </Line>
      ))}
    </div>
  );
}

interface LineProps {
  label: string;
  checked?: boolean;
  onCheck?: ((on: boolean) => void) | undefined;
  children: ReactNode;
}

function Line({ label, checked, onCheck, children }: LineProps) {
  return (
    <div className="grid min-h-10 grid-cols-[160px_1fr] items-start gap-x-3 gap-y-1 max-sm:grid-cols-1">
      <label className="flex min-h-9 items-center gap-2.5 text-13">
        {onCheck && <Checkbox checked={checked ?? false} onChange={onCheck} />}
        {label}
      </label>
      <div className="min-w-0">{children}</div>
    </div>
  );
}

interface InputProps {
  field: BulkEditField;
  values: BulkEditValues;
  onChange: (change: Partial<BulkEditValues>) => void;
}

function Input({ field, values, onChange }: InputProps) {
  const { t } = useTranslation('channelBulk');
  const shell = { label: t(fieldTexts[field]), hideLabel: true };
  const groups = useQuery(groupSymbols).data ?? [];
  const prices = useQuery(modelPrices).data ?? [];
  if (field === 'group' || field === 'models') {
    const how = field === 'group' ? 'groupHow' : 'modelsHow';
    return (
      <HowRow how={values[how]} onHow={(next) => onChange({ [how]: next })}>
        <Field {...shell}>
          {(aria) => (
            <ChipsBox
              aria={aria}
              values={splitList(values[field])}
              suggestions={field === 'group' ? groups : prices.map(({ model }) => model)}
              strict={field === 'group'}
              onChange={(next) => onChange({ [field]: next.join(',') })}
            />
          )}
        </Field>
      </HowRow>
    );
  }
  if (field === 'limits')
    return (
      <div className="grid grid-cols-1 gap-4 pt-2">
        <CapsFields limits={values.limits} onChange={(limits) => onChange({ limits })} onBlur={noBlur} />
      </div>
    );
  if (field === 'priority' || field === 'weight')
    return (
      <Field {...shell}>
        {(aria) => (
          <NumberBox
            aria={aria}
            inputRef={noRef}
            value={values[field]}
            onChange={(value) => onChange({ [field]: value })}
            onBlur={noBlur}
            whole
            left
          />
        )}
      </Field>
    );
  return (
    <TextInput field={field} {...shell} value={values[field]} onChange={(value) => onChange({ [field]: value })} />
  );
}

interface TextProps {
  field: 'tag' | 'test_model' | 'api_version';
  label: string;
  hideLabel: boolean;
  value: string;
  onChange: (value: string) => void;
}

const hints = { tag: 'tagHint', test_model: undefined, api_version: 'apiVersionHint' } as const;

function TextInput({ field, value, onChange, ...shell }: TextProps) {
  const { t } = useTranslation('channelBulk');
  const list = useId();
  const tags = useQuery(tagNames).data ?? [];
  const hint = hints[field];
  return (
    <Field {...shell} hint={hint && t(hint)}>
      {(aria) => (
        <>
          <input
            {...aria}
            className="box"
            list={field === 'tag' ? list : undefined}
            placeholder={field === 'api_version' ? '2024-10-21' : undefined}
            maxLength={field === 'tag' ? 32 : 100}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          {field === 'tag' && (
            <datalist id={list}>
              {tags.map(({ tag }) => (
                <option key={tag} value={tag} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

const hows = ['replace', 'add', 'remove'] as const;

function HowRow({ how, onHow, children }: { how: How; onHow: (how: How) => void; children: ReactNode }) {
  const { t } = useTranslation('channelBulk');
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <Segmented
        label={t('how')}
        value={how}
        options={hows.map((value) => ({ value, label: t(value) }))}
        onChange={onHow}
      />
      {children}
    </div>
  );
}

const noRef = () => undefined;
const noBlur = () => undefined;

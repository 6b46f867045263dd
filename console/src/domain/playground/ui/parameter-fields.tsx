import { useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Field } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { Select } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { hintsOf } from '#domain/playground/model-hints.ts';
import type { Dialect, Settings } from '#domain/playground/playground-types.ts';
import { readAdvanced, readTools } from '#domain/playground/request/json-settings.ts';
import { changeSettings, useSettings } from '#domain/playground/store/playground-store.ts';

type NumberName = {
  [N in keyof Settings]: Settings[N] extends number | null ? N : never;
}[keyof Settings];

interface Range {
  least: number;
  most: number;
  whole?: boolean;
}

const ranges: Record<NumberName, Range> = {
  temperature: { least: 0, most: 2 },
  topP: { least: 0, most: 1 },
  maxTokens: { least: 1, most: 1_000_000, whole: true },
  presencePenalty: { least: -2, most: 2 },
  frequencyPenalty: { least: -2, most: 2 },
  seed: { least: 0, most: 2 ** 31 - 1, whole: true },
  count: { least: 1, most: 10, whole: true },
  seconds: { least: 1, most: 60, whole: true },
};

/** The settings that a dialect can say. */
const more: Record<Dialect, readonly (NumberName | 'stop')[]> = {
  chat: ['presencePenalty', 'frequencyPenalty', 'seed', 'stop'],
  responses: [],
  messages: ['stop'],
  gemini: ['presencePenalty', 'frequencyPenalty', 'seed', 'stop'],
};

/** Whether a number can be sent; the field shows the range otherwise. */
const isWithin = (value: number | null, { least, most, whole }: Range): boolean =>
  value === null || (value >= least && value <= most && (!whole || Number.isInteger(value)));

/** Whether every setting can be sent. */
export const areValid = (settings: Settings): boolean =>
  Object.entries(ranges).every(([name, range]) => isWithin(settings[name as NumberName], range)) && // its keys are these
  readTools(settings.tools) !== undefined &&
  readAdvanced(settings.advanced) !== undefined;

/** Parameters of a chat; an empty one is not sent. */
export function ChatParameters() {
  const { t } = useTranslation('playground');
  const { dialect, models, effort, stream, stop, tools, advanced } = useSettings();
  const hints = models.map(hintsOf);
  const efforts = hints.find((each) => each.efforts.length > 0)?.efforts ?? [];
  const [open, setOpen] = useState(false);
  const numbers = more[dialect].filter((name) => name !== 'stop');
  return (
    <div className="flex flex-col gap-3.5">
      {hints.some(({ sampling }) => sampling) && (
        <>
          <NumberSetting name="temperature" slider />
          <NumberSetting name="topP" slider />
        </>
      )}
      <NumberSetting name="maxTokens" />
      {efforts.length > 0 && (
        <Field label={t('effort')}>
          {(aria) => (
            <Select
              aria={aria}
              value={effort}
              options={[{ value: '', label: t('effortDefault') }, ...efforts.map((value) => ({ value, label: value }))]}
              onChange={(value) => changeSettings({ effort: value })}
            />
          )}
        </Field>
      )}
      <label className="flex items-center gap-2 text-13">
        <span className="flex-1">{t('stream')}</span>
        <Switch checked={stream} onChange={(checked) => changeSettings({ stream: checked })} />
      </label>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="cursor-pointer py-1 text-13 text-text2 select-none">{t('more')}</summary>
        <div className="mt-2.5 flex flex-col gap-3.5">
          {numbers.map((name) => (
            <NumberSetting key={name} name={name} />
          ))}
          {more[dialect].includes('stop') && (
            <TextSetting
              label={t('stop')}
              hint={t('stopHint')}
              value={stop}
              onChange={(value) => changeSettings({ stop: value })}
            />
          )}
          <TextSetting
            label={t('tools')}
            hint={t('toolsHint')}
            error={readTools(tools) ? undefined : t('toolsWrong')}
            value={tools}
            mono
            onChange={(value) => changeSettings({ tools: value })}
          />
          <AdvancedSetting value={advanced} />
        </div>
      </details>
    </div>
  );
}

/** JSON that is added to the body. */
export function AdvancedSetting({ value }: { value: string }) {
  const { t } = useTranslation('playground');
  return (
    <TextSetting
      label={t('advanced')}
      hint={t('advancedHint')}
      error={readAdvanced(value) ? undefined : t('advancedWrong')}
      value={value}
      mono
      onChange={(next) => changeSettings({ advanced: next })}
    />
  );
}

/** A slider without a value shows no thumb. */
const unset =
  'h-1 appearance-none rounded-full bg-line [&::-moz-range-thumb]:opacity-0 [&::-webkit-slider-thumb]:appearance-none';

export function NumberSetting({ name, slider = false }: { name: NumberName; slider?: boolean }) {
  const { t } = useTranslation('playground');
  const value = useSettings()[name];
  const range = ranges[name];
  const { least, most, whole } = range;
  return (
    <Field
      label={t(name)}
      error={isWithin(value, range) ? undefined : t('rangeWrong', { least, most })}
      aside={
        value !== null && (
          <button
            type="button"
            className="touch text-12 text-accent hover:underline"
            onClick={() => changeSettings({ [name]: null })}
          >
            {t('unset')}
          </button>
        )
      }
    >
      {(aria) => (
        <div className="flex items-center gap-3">
          {slider && (
            <input
              type="range"
              aria-label={t(name)}
              min={least}
              max={most}
              step={0.05}
              value={value ?? 1}
              onChange={(event) => changeSettings({ [name]: Number(event.target.value) })}
              className={cx('min-w-0 flex-1', value === null ? unset : 'accent-accent-fill')}
            />
          )}
          <div className={slider ? 'w-22 flex-none' : 'flex-1'}>
            <NumberBox
              aria={aria}
              inputRef={() => {}}
              value={value}
              whole={whole}
              placeholder={t('notSent')}
              onChange={(next) => changeSettings({ [name]: next })}
              onBlur={() => {}}
            />
          </div>
        </div>
      )}
    </Field>
  );
}

interface TextProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  value: string;
  mono?: boolean;
  rows?: number;
  onChange: (value: string) => void;
}

export function TextSetting({ label, hint, error, value, mono = false, rows = 3, onChange }: TextProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(aria) => (
        <textarea
          {...aria}
          rows={rows}
          spellCheck={!mono}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={`box block max-h-60 resize-y py-2 [field-sizing:content] ${mono ? 'font-mono text-12' : 'text-13'}`}
        />
      )}
    </Field>
  );
}

import { ruleActions, ruleEndpoints, ruleLimits, type RequestRule, ruleTargets, ruleTests } from '@relay-hub/contract';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { ChipsBox } from '#ui/form/chips-box.tsx';
import { Field, FieldBelow } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import { changedRule, valueOf, valueText } from './rule-values.ts';

/** Messages by the path within a rule. */
export type RuleErrors = ReadonlyMap<string, string>;

interface Props {
  id: number;
  rule: RequestRule;
  at: number;
  count: number;
  errors: RuleErrors | undefined;
  onChange: (rule: RequestRule) => void;
  onMove: (step: -1 | 1) => void;
  onRemove: () => void;
}

const examples = { model: 'gpt-4*', field: 'tools' };
const narrow = 'h-8.5 min-h-0 text-13 max-sm:h-10';

/** One rule: what it changes, and below it when it applies. */
export function RuleRow({ id, rule, at, count, errors, onChange, onMove, onRemove }: Props) {
  const { t } = useTranslation('channelForm');
  const message = useFieldMessage();
  const below = useId();
  const { action, target, field, to, value } = rule;
  const change = (more: Partial<RequestRule>) => onChange(changedRule(rule, more));
  const place = at + 1;
  const [error] = errors?.values() ?? [];
  const isWrong = (path: string) => errors?.has(path) || undefined;
  const isHeader = target === 'header';
  return (
    <li data-rule={id} aria-label={t('rules.rule', { place })} className="rounded-control border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <span aria-hidden className="w-5 text-12 text-text3 tabular-nums">
          {place}
        </span>
        <div className="flex gap-2 max-sm:order-last max-sm:w-full">
          <Select
            aria={{ 'aria-label': t('rules.action') }}
            value={action}
            options={ruleActions.map((each) => ({ value: each, label: t(`rules.actions.${each}`) }))}
            onChange={(next) => change({ action: next })}
            className={`${narrow} w-34 max-sm:flex-1`}
          />
          <Select
            aria={{ 'aria-label': t('rules.target') }}
            value={target}
            options={ruleTargets.map((each) => ({ value: each, label: t(`rules.targets.${each}`) }))}
            onChange={(next) => change({ target: next })}
            className={`${narrow} w-26 max-sm:flex-1`}
          />
        </div>
        <span className="ml-auto flex">
          <IconButton
            label={t('rules.up', { place })}
            icon={ArrowUp}
            data-step={-1}
            disabled={at === 0}
            onClick={() => onMove(-1)}
          />
          <IconButton
            label={t('rules.down', { place })}
            icon={ArrowDown}
            data-step={1}
            disabled={at === count - 1}
            onClick={() => onMove(1)}
          />
          <IconButton label={t('rules.remove', { place })} icon={X} onClick={onRemove} />
        </span>
      </div>
      <div className="mt-2 flex gap-2 max-sm:flex-col">
        <input
          aria-label={t(isHeader ? 'rules.header' : 'rules.field')}
          aria-invalid={isWrong('field')}
          aria-describedby={below}
          placeholder={isHeader ? 'anthropic-beta' : 'generationConfig.topK'}
          autoComplete="off"
          spellCheck={false}
          value={field}
          maxLength={ruleLimits.path}
          onChange={(event) => change({ field: event.target.value })}
          className="box min-w-0 flex-1 font-mono text-13"
        />
        {action === 'rename' && (
          <input
            aria-label={t('rules.to')}
            aria-invalid={isWrong('to')}
            aria-describedby={below}
            placeholder={t('rules.to')}
            autoComplete="off"
            spellCheck={false}
            value={to ?? ''}
            maxLength={ruleLimits.path}
            onChange={(event) => change({ to: event.target.value })}
            className="box min-w-0 flex-1 font-mono text-13"
          />
        )}
        {(action === 'set' || action === 'default') && (
          <ValueBox
            label={t('rules.value')}
            value={value}
            plain={isHeader}
            invalid={isWrong('value')}
            describedBy={below}
            onChange={(next) => change({ value: next })}
          />
        )}
      </div>
      <FieldBelow id={below} error={message(error)} />
      <Scope rule={rule} onChange={onChange} errors={errors} />
    </li>
  );
}

interface ValueProps {
  label: string;
  value: unknown;
  /** A text, also where it looks like JSON. */
  plain?: boolean;
  invalid: boolean | undefined;
  describedBy?: string | undefined;
  onChange: (value: unknown) => void;
}

/** A value as text. The typed text is kept while it means the same. */
function ValueBox({ label, value, plain = false, invalid, describedBy, onChange }: ValueProps) {
  const read = (text: string) => (plain ? text : valueOf(text));
  const write = (given: unknown) => (plain && typeof given === 'string' ? given : valueText(given));
  const [text, setText] = useState(() => write(value));
  if (write(read(text)) !== write(value)) setText(write(value));
  return (
    <input
      aria-label={label}
      aria-invalid={invalid}
      aria-describedby={describedBy}
      placeholder={plain ? undefined : '0.5, false, flex, {"a": 1}'}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onChange(read(event.target.value));
      }}
      className="box min-w-0 flex-1 font-mono text-13"
    />
  );
}

/** Models, endpoints and conditions of a rule. */
function Scope({ rule, errors, onChange }: Pick<Props, 'rule' | 'errors' | 'onChange'>) {
  const { t } = useTranslation('channelForm');
  const { models, endpoints, when, before_conversion: early, target } = rule;
  const set = (more: Partial<RequestRule>) => onChange({ ...rule, ...more });
  const put = (at: number, more: Partial<RequestRule['when'][number]>) =>
    set({ when: when.with(at, conditionWith({ ...when[at]!, ...more })) });
  const facts = [
    models.length > 0 ? models.join(', ') : t('rules.allModels'),
    endpoints.length > 0 && endpoints.map((each) => t(`rules.endpoints.${each}`)).join(', '),
    when.length > 0 && t('rules.conditionCount', { count: when.length }),
    early && t('rules.early'),
  ].filter(Boolean);
  const isWrong = (path: string) => errors?.has(path) || undefined;
  return (
    <details className="group mt-2">
      <summary className="cursor-pointer text-13 text-text2">
        {t('rules.scope')}: <span className="text-text3">{facts.join(' · ')}</span>
      </summary>
      <div className="mt-2.5 grid grid-cols-1 gap-3">
        <Field label={t('rules.models')} optional hint={t('rules.modelsHint')}>
          {(aria) => (
            <ChipsBox
              aria={aria}
              values={models}
              placeholder={examples.model}
              onChange={(next) => set({ models: next.slice(0, ruleLimits.models) })}
            />
          )}
        </Field>
        <fieldset className="min-w-0">
          <legend className="mb-1.5 text-13">
            <span className="font-title">{t('rules.calls')}</span>
            <span className="text-text3"> · {t('rules.callsHint')}</span>
          </legend>
          <div className="flex flex-wrap gap-x-4 gap-y-1.5">
            {ruleEndpoints.map((each) => (
              <label key={each} className="flex min-h-6 items-center gap-1.5 text-13 max-sm:min-h-10">
                <Checkbox
                  checked={endpoints.includes(each)}
                  onChange={(checked) =>
                    set({
                      endpoints: ruleEndpoints.filter((one) => (one === each ? checked : endpoints.includes(one))),
                    })
                  }
                />
                {t(`rules.endpoints.${each}`)}
              </label>
            ))}
          </div>
        </fieldset>
        <div className="grid grid-cols-1 gap-2">
          {when.map((condition, at) => (
            <div key={at} className="flex flex-wrap items-center gap-2">
              <input
                aria-label={t('rules.conditionField')}
                aria-invalid={isWrong(`when.${at}.field`)}
                placeholder={examples.field}
                autoComplete="off"
                spellCheck={false}
                value={condition.field}
                maxLength={ruleLimits.path}
                onChange={(event) => put(at, { field: event.target.value })}
                className="box min-w-32 flex-1 font-mono text-13"
              />
              <Select
                aria={{ 'aria-label': t('rules.test') }}
                value={condition.test}
                options={ruleTests.map((each) => ({ value: each, label: t(`rules.tests.${each}`) }))}
                onChange={(test) => put(at, { test })}
                className={`${narrow} w-30`}
              />
              {(condition.test === 'is' || condition.test === 'is_not') && (
                <ValueBox
                  label={t('rules.value')}
                  value={condition.value}
                  invalid={isWrong(`when.${at}.value`)}
                  onChange={(value) => put(at, { value })}
                />
              )}
              <IconButton
                label={t('rules.conditionRemove')}
                icon={X}
                onClick={() => set({ when: when.toSpliced(at, 1) })}
              />
            </div>
          ))}
          <Button
            size="sm"
            icon={Plus}
            className="w-fit"
            disabled={when.length >= ruleLimits.conditions}
            onClick={() => set({ when: [...when, { field: '', test: 'present' }] })}
          >
            {t('rules.conditionAdd')}
          </Button>
        </div>
        {target === 'body' && (
          <label className="flex items-start gap-2.5 text-13">
            <Switch checked={early} onChange={(on) => set({ before_conversion: on })} />
            <span>
              {t('rules.early')}
              <span className="block text-12 text-text3">{t('rules.earlyHint')}</span>
            </span>
          </label>
        )}
      </div>
    </details>
  );
}

/** A condition without the value that its test does not have. */
function conditionWith({ value = '', ...rest }: RequestRule['when'][number]): RequestRule['when'][number] {
  return rest.test === 'is' || rest.test === 'is_not' ? { ...rest, value } : rest;
}

import {
  guardActions,
  guardApi,
  guardFailures,
  guardKinds,
  guardLimits,
  newGuardRule,
  type GuardRule,
  type InputOf,
  type NewGuardRule,
} from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useController, useForm, useWatch, type Control as FormControl } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { RecordDrawer } from '#list/record-drawer.tsx';
import { Button } from '#ui/basic/button.tsx';
import { ChipsBox } from '#ui/form/chips-box.tsx';
import { Field, FieldBelow } from '#ui/form/field.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormNumber } from '#ui/form/form-number.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { Toggles } from '#ui/form/toggles.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import { useFormField } from '#ui/form/use-form-field.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { guardById, savedParts } from './guard-api.ts';
import { useGuardActions } from './use-guard-actions.ts';

type Values = InputOf<typeof guardApi.create>['body'];
type Control = FormControl<Values, unknown, NewGuardRule>;

const start: Values = {
  name: '',
  enabled: true,
  action: 'mask',
  requests: true,
  answers: false,
  groups: [],
  token_ids: [],
  kinds: [],
  patterns: [],
  hook: null,
};

export function GuardDrawer({ edit, onClose }: { edit: string; onClose: () => void }) {
  const create = <GuardForm values={start} onClose={onClose} />;
  return (
    <RecordDrawer edit={edit} query={guardById} create={create} onClose={onClose}>
      {(rule) => <GuardForm rule={rule} values={savedParts(rule)} onClose={onClose} />}
    </RecordDrawer>
  );
}

function GuardForm({ rule, values, onClose }: { rule?: GuardRule; values: Values; onClose: () => void }) {
  const { t } = useTranslation('guard');
  const { create, update } = useGuardActions();
  const form = useForm<Values, unknown, NewGuardRule>({
    resolver: contractResolver(newGuardRule),
    defaultValues: values,
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const groups = Object.keys(useUserGroups());
  const save = useMutation({
    mutationFn: (body: NewGuardRule) =>
      savedOrRefused(form, () => (rule ? update({ id: rule.id, body, before: rule }) : create(body))),
    onSuccess: (saved) => {
      if (saved) onClose();
    },
  });
  return (
    <EditDrawer
      title={t(rule ? 'edit' : 'add')}
      subtitle={rule?.name}
      changes={countDirty(formState.dirtyFields)}
      saveLabel={rule ? undefined : t('add')}
      alwaysSave={!rule}
      busy={save.isPending}
      onSave={handleSubmit((body) => save.mutate(body))}
      onClose={onClose}
    >
      <DrawerSection title={t('nameTitle')}>
        <FormText control={control} name="name" label={t('name')} hint={t('nameHint')} maxLength={60} />
        <FormSelect
          control={control}
          name="action"
          label={t('action')}
          hint={t('actionHint')}
          options={guardActions.map((value) => ({ value, label: t(`actions.${value}`) }))}
        />
        <Reads control={control} />
        <FormSwitch control={control} name="enabled" label={t('enabled')} />
      </DrawerSection>
      <DrawerSection title={t('searched')} text={t('searchedText')}>
        <Kinds control={control} />
        <Patterns control={control} />
        <TryOut control={control} />
      </DrawerSection>
      <Service control={control} />
      <DrawerSection title={t('scope')} text={t('scopeText')}>
        <FormChips control={control} name="groups" label={t('groups')} optional suggestions={groups} strict />
        <Tokens control={control} />
      </DrawerSection>
    </EditDrawer>
  );
}

function Reads({ control }: { control: Control }) {
  const { t } = useTranslation('guard');
  const requests = useController({ control, name: 'requests' });
  const answers = useController({ control, name: 'answers' });
  const message = useFieldMessage();
  const id = useId();
  const parts = ['requests', 'answers'] as const;
  return (
    <div role="group" aria-label={t('reads')} className="grid grid-cols-1 gap-1.5">
      <span className="text-13 font-title">{t('reads')}</span>
      <Toggles
        options={parts.map((value) => ({ value, label: t(value) }))}
        values={parts.filter((part) => (part === 'requests' ? requests : answers).field.value)}
        onChange={(on) => {
          requests.field.onChange(on.includes('requests'));
          answers.field.onChange(on.includes('answers'));
        }}
      />
      <FieldBelow id={id} error={message(requests.fieldState.error?.message)} />
    </div>
  );
}

function Kinds({ control }: { control: Control }) {
  const { t } = useTranslation('guard');
  const { field, fieldState } = useController({ control, name: 'kinds' });
  const message = useFieldMessage();
  const id = useId();
  return (
    <div role="group" aria-label={t('builtIn')} className="grid grid-cols-1 gap-1.5">
      <span className="text-13 font-title">{t('builtIn')}</span>
      <Toggles
        options={guardKinds.map((kind) => ({ value: kind, label: t(`kinds.${kind}`) }))}
        values={field.value ?? []}
        onChange={field.onChange}
      />
      <FieldBelow id={id} error={message(fieldState.error?.message)} />
    </div>
  );
}

const withoutEmpty = (lines: readonly string[]): string[] => lines.filter((line) => line.trim() !== '');

/** One pattern per line, since patterns contain commas. */
function Patterns({ control }: { control: Control }) {
  const { t } = useTranslation('guard');
  const label = t('patterns');
  const { value, change, blur, ref, shell } = useFormField({ control, name: 'patterns', label, optional: true });
  const lines = Array.isArray(value) ? value.map(String) : [];
  return (
    <Field {...shell} hint={t('patternsHint')}>
      {(aria) => (
        <textarea
          {...aria}
          ref={ref}
          rows={3}
          spellCheck={false}
          placeholder={String.raw`PRJ-\d{4,6}`}
          className="box block resize-y py-2 font-mono text-13/5"
          value={lines.join('\n')}
          onChange={(event) => change(event.target.value === '' ? [] : event.target.value.split('\n'))}
          onBlur={() => {
            change(withoutEmpty(lines));
            blur();
          }}
        />
      )}
    </Field>
  );
}

function Tokens({ control }: { control: Control }) {
  const { t } = useTranslation('guard');
  const { value, change, blur, ref, shell } = useFormField({
    control,
    name: 'token_ids',
    label: t('tokens'),
    optional: true,
    hint: t('tokensHint'),
  });
  return (
    <Field {...shell}>
      {(aria) => (
        <ChipsBox
          aria={aria}
          inputRef={ref}
          values={Array.isArray(value) ? value.map(String) : []}
          onChange={(next) => change(next.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0))}
          onBlur={blur}
        />
      )}
    </Field>
  );
}

function Service({ control }: { control: Control }) {
  const { t } = useTranslation('guard');
  const { field } = useController({ control, name: 'hook' });
  return (
    <DrawerSection
      title={t('service')}
      text={t('serviceText')}
      aside={
        <Switch
          label={t('service')}
          checked={Boolean(field.value)}
          onChange={(on) => field.onChange(on ? { url: '', timeout_ms: 2000, on_failure: 'pass' } : null)}
        />
      }
    >
      {field.value && (
        <>
          <FormText
            control={control}
            name="hook.url"
            label={t('serviceUrl')}
            hint={t('serviceHint')}
            placeholder="https://guard.example/check"
            mono
          />
          <div className="grid grid-cols-2 gap-3">
            <FormNumber control={control} name="hook.timeout_ms" label={t('timeout')} suffix="ms" whole />
            <FormSelect
              control={control}
              name="hook.on_failure"
              label={t('onFailure')}
              options={guardFailures.map((value) => ({ value, label: t(`failures.${value}`) }))}
            />
          </div>
        </>
      )}
    </DrawerSection>
  );
}

/** What the rule, as it is in the form, would do with a text. */
function TryOut({ control }: { control: Control }) {
  const { t } = useTranslation('guard');
  const [text, setText] = useState('');
  const [action, kinds = [], patterns = []] = useWatch({ control, name: ['action', 'kinds', 'patterns'] });
  const searched = { kinds, patterns: withoutEmpty(patterns) };
  const isEmpty = kinds.length + searched.patterns.length === 0;
  const tried = useMutation({ mutationFn: () => call(guardApi.test, { body: { ...searched, text } }) });
  return (
    <div className="grid grid-cols-1 gap-2 rounded-control border border-line p-3">
      <Field label={t('try')} hint={t('tryHint')}>
        {(aria) => (
          <textarea
            {...aria}
            rows={2}
            maxLength={guardLimits.testText}
            className="box block resize-y py-2"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              tried.reset();
            }}
          />
        )}
      </Field>
      <Button
        className="justify-self-start"
        disabled={text === '' || isEmpty}
        busy={tried.isPending}
        onClick={() => tried.mutate()}
      >
        {t('tryNow')}
      </Button>
      {tried.data && (
        <div role="status" className="grid grid-cols-1 gap-1 text-13">
          <span className="text-text2">
            {tried.data.count === 0
              ? t('nothingFound')
              : t(action === 'refuse' ? 'wouldRefuse' : 'wouldMask', { count: tried.data.count })}
          </span>
          {tried.data.count > 0 && <p className="break-words whitespace-pre-wrap">{tried.data.masked}</p>}
        </div>
      )}
    </div>
  );
}

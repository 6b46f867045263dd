import {
  channelPreferences,
  defaultUserGroup,
  newUserGroup,
  priceText,
  type UserGroup,
  userGroupApi,
  type UserGroupRow,
} from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type Control, useController, useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { useSaving } from '#domain/save/form-error.ts';
import { FormNumber } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { CapsEditor } from '#domain/token/caps-editor.tsx';
import { ChipsBox } from '#ui/form/chips-box.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { pricesQuery } from '#api/model-owners.ts';
import { DefaultsField } from './defaults-field.tsx';
import { refreshGroups } from './user-group-api.ts';
import { WaitField } from './wait-field.tsx';
import type { GroupBody, GroupValues } from './user-group-values.ts';

interface GroupPriceExampleProps {
  control: Control<GroupValues, unknown, GroupBody>;
  /** The stored ratio; undefined for a new group. */
  before: number | undefined;
}

const unit = { currency: 'USD', per: 1_000_000 } as const;
const known = 'gpt-4o';

/** Price of a well-known model with the entered ratio. */
function GroupPriceExample({ control, before = 1 }: GroupPriceExampleProps) {
  const { t } = useTranslation('userGroup');
  const prices = useQuery(pricesQuery).data ?? [];
  const typed = useWatch({ control, name: 'ratio' });
  const ratio = typeof typed === 'number' && typed >= 0 ? typed : before;
  const byToken = prices.filter(({ type, input, output }) => type === 'tokens' && input + output > 0);
  const price = byToken.find(({ model }) => model === known) ?? byToken[0];
  if (!price) return <div />;
  const words = (rate: number, times: number) => priceText([rate, times], unit) ?? t('free');
  return (
    <div className="text-13">
      <p className="mb-1.5 truncate font-title">{t('example', { model: price.model })}</p>
      <p className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 text-text2 tabular-nums">
        {(
          [
            ['exampleIn', price.input],
            ['exampleOut', price.output],
          ] as const
        ).map(([label, rate]) => (
          <span key={label}>
            {t(label)} {ratio !== before && `${words(rate, before)} → `}
            <span className="font-title text-text">{words(rate, ratio)}</span>
          </span>
        ))}
      </p>
    </div>
  );
}

const lists = [
  { name: 'allow', none: 'allowAll' },
  { name: 'deny', none: 'denyNone' },
] as const;

/** Models that the group can call. */
function ModelsField({ control }: { control: Control<GroupValues, unknown, GroupBody> }) {
  const { t } = useTranslation('userGroup');
  const { field } = useController({ control, name: 'model_switch' });
  const { allow = [], deny = [] } = field.value ?? {};
  const values = { allow, deny };
  const put = (change: Partial<typeof values>) => {
    const next = { ...values, ...change };
    field.onChange(next.allow.length + next.deny.length === 0 ? null : next);
  };
  return lists.map(({ name, none }) => (
    <Field key={name} label={t(name)} optional hint={t(`${name}Hint`)}>
      {(aria) => (
        <ChipsBox
          aria={aria}
          values={values[name]}
          onChange={(models) => put({ [name]: models })}
          onBlur={field.onBlur}
          placeholder={t(none)}
        />
      )}
    </Field>
  ));
}

const siteChoice = 'site' as const;

/** How channels of one priority share the calls of the group. */
function PreferenceField({ control }: { control: Control<GroupValues, unknown, GroupBody> }) {
  const { t } = useTranslation('userGroup');
  const { field } = useController({ control, name: 'channel_preference' });
  const options = [siteChoice, ...channelPreferences].map((value) => ({ value, label: t(`preference.${value}`) }));
  return (
    <Field label={t('preferenceLabel')}>
      {(aria) => (
        <Select
          aria={aria}
          triggerRef={field.ref}
          value={field.value ?? siteChoice}
          onChange={(value) => field.onChange(value === siteChoice ? null : value)}
          onBlur={field.onBlur}
          options={options}
        />
      )}
    </Field>
  );
}

type Form = UseFormReturn<GroupValues, unknown, GroupBody>;

const resolver = contractResolver(newUserGroup);

const start: GroupValues = {
  symbol: '',
  name: '',
  ratio: 1,
  api_rate: 300,
  public: false,
  enable: true,
  token_limits: null,
  model_switch: null,
  limit_wait: null,
  channel_preference: null,
};

interface Props {
  group?: UserGroupRow | undefined;
  onRemove?: ((group: UserGroupRow) => void) | undefined;
  onClose: () => void;
}

export function UserGroupForm({ group, onRemove, onClose }: Props) {
  const { t } = useTranslation('userGroup');
  const named = useNamedGroup();
  const form = useForm<GroupValues, unknown, GroupBody>({
    resolver,
    defaultValues: group ? { ...start, ...named(group) } : start,
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const save = useSaveGroup(form, { group, onClose });
  const fixed = group?.symbol === defaultUserGroup.symbol;
  return (
    <EditDrawer
      title={t(group ? 'edit' : 'add')}
      subtitle={group && <Subtitle group={group} />}
      aside={
        group &&
        !fixed && (
          <IconButton label={t('remove')} icon={Trash2} className="text-bad!" onClick={() => onRemove?.(group)} />
        )
      }
      changes={countDirty(formState.dirtyFields)}
      saveLabel={group ? undefined : t('add')}
      alwaysSave={!group}
      busy={save.isPending}
      onSave={handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <DrawerSection title={t('nameTitle')}>
        <FieldRow>
          <FormText
            control={control}
            name="symbol"
            label={t('symbol')}
            mono
            disabled={group !== undefined}
            hint={t(group ? 'symbolHint' : 'symbolNewHint')}
          />
          <FormText control={control} name="name" label={t('name')} placeholder={t('namePlaceholder')} />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('priceTitle')} text={t('priceText')}>
        <FieldRow>
          <FormNumber control={control} name="ratio" label={t('ratio')} suffix="×" />
          <GroupPriceExample control={control} before={group?.ratio} />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('rateTitle')} text={t('rateText')}>
        <FieldRow>
          <FormNumber control={control} name="api_rate" label={t('rate')} whole />
          <Note>{t('rateNote')}</Note>
        </FieldRow>
        <WaitField control={control} />
      </DrawerSection>
      <DrawerSection title={t('channelsTitle')} text={t('channelsText')}>
        <PreferenceField control={control} />
      </DrawerSection>
      <DrawerSection folded title={t('modelsTitle')} text={t('modelsText')}>
        <ModelsField control={control} />
      </DrawerSection>
      <DrawerSection folded title={t('ceilingsTitle')} text={t('ceilingsText')}>
        <CeilingsField control={control} />
      </DrawerSection>
      <DrawerSection folded title={t('defaultsTitle')} text={t('defaultsText')}>
        <DefaultsField control={control} />
      </DrawerSection>
      <DrawerSection title={t('whoTitle')}>
        <FormSwitch control={control} name="public" label={t('public')} hint={t('publicHint')} />
        <FormSwitch control={control} name="enable" label={t('enabled')} hint={t('enableHint')} disabled={fixed} />
      </DrawerSection>
    </EditDrawer>
  );
}

function Subtitle({ group: { symbol, id, users, tokens, channels } }: { group: UserGroupRow }) {
  const { t } = useTranslation('userGroup');
  const used = users + tokens + channels > 0;
  return (
    <>
      <span className="font-mono">{symbol}</span>
      <span>
        #{id} · {used ? t('usedBy', { users, tokens, channels }) : t('unused')}
      </span>
    </>
  );
}

function useSaveGroup(form: Form, { group, onClose }: Pick<Props, 'group' | 'onClose'>) {
  const { t } = useTranslation('userGroup');
  const client = useQueryClient();
  const named = useNamedGroup();
  return useSaving(form, {
    send: (values: GroupBody) => {
      // A translated default name is not a change.
      const kept = group && values.name === named(group).name && { name: group.name };
      return send(group, { ...values, ...kept });
    },
    onSaved: (saved) => {
      onClose();
      toast.success(t(group ? 'saved' : 'made', { name: named(saved).name }));
    },
    onSettled: () => refreshGroups(client),
  });
}

function send(group: UserGroup | undefined, body: GroupBody): Promise<UserGroup> {
  if (!group) return call(userGroupApi.create, { body: { ...body, keep_zero: true } });
  const { symbol: _symbol, keep_zero: _keepZero, enable, ...rest } = body;
  // Sent only if changed here: it may have been switched elsewhere meanwhile.
  const switched = enable !== group.enable && { set_enable: enable };
  return call(userGroupApi.update, { body: { id: group.id, ...rest, ...switched } });
}

/** Caps that no token of the group's users exceeds. */
function CeilingsField({ control }: { control: Control<GroupValues, unknown, GroupBody> }) {
  const { field } = useController({ control, name: 'token_limits' });
  const { ceilings = [], ...rest } = field.value ?? {};
  return (
    <CapsEditor
      caps={ceilings}
      onChange={(caps) => field.onChange({ ...rest, ceilings: caps })}
      onBlur={field.onBlur}
    />
  );
}

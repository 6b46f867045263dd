import { newUser, type User, userAdminApi, userEdit, username } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Control, useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { Button } from '#ui/basic/button.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { useSaving } from '#domain/save/form-error.ts';
import { FormMoney } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormPassword, FormText } from '#ui/form/form-text.tsx';
import { Money } from '#ui/format/money.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { useAllGroups } from '#api/all-groups.ts';
import { FormSelect } from '#ui/form/form-select.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { refreshUsers } from './user-api.ts';
import { UserBindingList } from './user-binding-list.tsx';
import { UserRole, UserStatus } from './user-cells.tsx';

type UserValues = z.input<ReturnType<typeof userRules>>;
type UserBody = z.output<ReturnType<typeof userRules>>;

/** The contract's rules; an unchanged name and an empty password pass for an existing account. */
function userRules(user: User | undefined) {
  const { display_name, email, group, quota, customer_id } = newUser.shape;
  const kept = z.string().check(
    z.trim(),
    z.refine((name) => name === user?.username || username.safeParse(name).success, { error: 'user.name' }),
  );
  const password = user ? userEdit.shape.password : newUser.shape.password;
  return z.object({
    username: user ? kept : username,
    display_name,
    email,
    customer_id,
    group,
    password,
    /** With a new password of an existing account. */
    disable_tokens: z.boolean(),
    quota,
  });
}

const startOf = (user: User | undefined): UserValues => ({
  username: user?.username ?? '',
  display_name: user?.display_name ?? '',
  email: user?.email ?? '',
  customer_id: user?.customer_id ?? '',
  password: '',
  disable_tokens: false,
  group: user?.group ?? 'default',
  quota: 0,
});

/** Letters and digits that cannot be confused. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const generatedLength = 16;

/** A random password of 93 bits. */
function randomPassword(): string {
  const letters: string[] = [];
  while (letters.length < generatedLength) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    // Rejection sampling: a plain modulo would favour some letters.
    const letter = byte < 256 - (256 % alphabet.length) ? alphabet[byte % alphabet.length] : undefined;
    if (letter) letters.push(letter);
  }
  return letters.join('');
}

interface Props {
  user?: User | undefined;
  onClose: () => void;
}

export function UserForm({ user, onClose }: Props) {
  const { t } = useTranslation('user');
  const { user: me } = useSession();
  const resolver = useMemo(() => contractResolver(userRules(user)), [user]);
  const form = useForm<UserValues, unknown, UserBody>({ resolver, defaultValues: startOf(user), mode: 'onBlur' });
  const { control, handleSubmit, formState } = form;
  const { dirtyFields } = formState;
  const save = useSaveUser(form, { user, onClose });
  const submit = handleSubmit((values) => {
    const names = Object.keys(values) as (keyof UserBody)[]; // the schema's own keys
    const changed = names.filter((name) => (user ? dirtyFields[name] : name !== 'disable_tokens'));
    save.mutate(Object.fromEntries(changed.map((name) => [name, values[name]])));
  });
  return (
    <EditDrawer
      title={t(user ? 'editTitle' : 'newTitle')}
      subtitle={user && <Subtitle user={user} />}
      changes={countDirty(dirtyFields)}
      saveLabel={user ? undefined : t('add')}
      alwaysSave={!user}
      busy={save.isPending}
      onSave={submit}
      onClose={onClose}
    >
      <DrawerSection title={t('accountTitle')} text={t('accountText')}>
        <FieldRow>
          <FormText control={control} name="username" label={t('username')} hint={t('usernameHint')} />
          <FormText
            control={control}
            name="display_name"
            label={t('displayName')}
            optional
            hint={!user && t('displayNameHint')}
          />
        </FieldRow>
        <FormText control={control} name="email" type="email" label={t('email')} optional />
      </DrawerSection>
      <DrawerSection title={t('passwordTitle')} text={t(user ? 'passwordEditText' : 'passwordNewText')}>
        {user && user.id === me?.id ? (
          <p className="text-13 text-text2">{t('ownPassword')}</p>
        ) : (
          <UserPassword form={form} isNew={!user} />
        )}
        {user && <UserBindingList user={user} />}
      </DrawerSection>
      <DrawerSection title={t('moneyTitle')} text={t('moneyText')}>
        <UserGroupField control={control} current={user?.group} />
        {user ? (
          <Balance user={user} />
        ) : (
          <FormMoney control={control} name="quota" label={t('firstQuota')} hint={t('firstQuotaHint')} />
        )}
        <FormText
          control={control}
          name="customer_id"
          label={t('customerId')}
          optional
          placeholder={user && String(user.id)}
          hint={t('customerIdHint')}
        />
      </DrawerSection>
    </EditDrawer>
  );
}

function Subtitle({ user }: { user: User }) {
  return (
    <>
      {user.username} <span className="text-text3">#{user.id}</span> <UserStatus user={user} /> <UserRole user={user} />
    </>
  );
}

/** Read-only: ledger entries change it. */
function Balance({ user: { id, quota } }: { user: User }) {
  const { t } = useTranslation('user');
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1">
      <span className="font-title text-13">{t('balance')}</span>
      <Money credits={quota} exact className="flex-1" />
      <Button
        render={<Link from="/panel/user" to="/panel/user" search={(now) => ({ ...now, edit: '', adjust: id })} />}
      >
        {t('adjust')}
      </Button>
    </div>
  );
}

function useSaveUser(form: UseFormReturn<UserValues, unknown, UserBody>, { user, onClose }: Props) {
  const { t } = useTranslation('user');
  const client = useQueryClient();
  return useSaving(form, {
    send: (values: Partial<UserBody>) => send(user, values),
    onSaved: (saved) => {
      onClose();
      const { username: name, disabled_tokens: count = 0 } = saved;
      toast.success(count > 0 ? t('savedTokens', { name, count }) : t(user ? 'saved' : 'made', { name }));
      void refreshUsers(client);
    },
    // The request may hold a password.
    gcTime: 0,
  });
}

function send(
  user: User | undefined,
  values: Partial<UserBody>,
): Promise<User & { disabled_tokens?: number | undefined }> {
  if (user) return call(userAdminApi.update, { body: { ...values, id: user.id } });
  return call(userAdminApi.create, { body: { username: '', group: '', ...values, password: values.password ?? '' } });
}

interface UserGroupFieldProps {
  control: Control<UserValues, unknown, UserBody>;
  /** The account's stored group. */
  current: string | undefined;
}

/** The group whose prices, models and rate limit apply to the account. */
function UserGroupField({ control, current }: UserGroupFieldProps) {
  const { t } = useTranslation('user');
  const groups = useAllGroups();
  const options = groups
    .filter(({ enable, symbol }) => enable || symbol === current)
    .map(({ symbol, name, ratio, enable }) => ({
      value: symbol,
      label: `${name} · ${symbol}`,
      note: enable ? `×${ratio}` : t('groupGone'),
    }));
  return (
    <FormSelect control={control} name="group" label={t('group')} options={options} searchable={options.length > 12} />
  );
}

interface UserPasswordProps {
  form: UseFormReturn<UserValues, unknown, UserBody>;
  isNew: boolean;
}

/** A password to hand over: typed, or generated and copied. */
function UserPassword({ form, isNew }: UserPasswordProps) {
  const { t } = useTranslation('user');
  const generate = () => {
    const password = randomPassword();
    form.setValue('password', password, { shouldDirty: true, shouldValidate: true });
    void copyText(password, t('password'));
  };
  const given = useWatch({ control: form.control, name: 'password' });
  return (
    <>
      <FormPassword
        control={form.control}
        name="password"
        label={t(isNew ? 'password' : 'newPassword')}
        autoComplete="new-password"
        optional={!isNew}
        hint={t(isNew ? 'passwordHint' : 'passwordEditHint')}
        aside={
          <button type="button" onClick={generate} className="touch rounded-tile text-13 text-accent hover:underline">
            {t('generate')}
          </button>
        }
      />
      {!isNew && given !== '' && (
        <FormSwitch
          control={form.control}
          name="disable_tokens"
          label={t('passwordTokens')}
          hint={t('passwordTokensHint')}
        />
      )}
    </>
  );
}

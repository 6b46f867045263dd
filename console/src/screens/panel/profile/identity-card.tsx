import { profileApi, role, selfEdit, username, type Self } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { call } from '#api/call.ts';
import { selfQuery, useSelf } from '#api/self.ts';
import { rememberUser } from '#api/session.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { Avatar } from '#shared/avatar.tsx';
import { Button } from '#shared/button.tsx';
import { Card, CardHead } from '#shared/card.tsx';
import { FieldRow } from '#shared/drawer-section.tsx';
import { ErrorState } from '#shared/error-state.tsx';
import { savedOrRefused } from '#shared/form-error.ts';
import { contractResolver } from '#shared/form-resolver.ts';
import { FormText } from '#shared/form-text.tsx';
import { Skeleton } from '#shared/skeleton.tsx';
import { Time } from '#shared/time.tsx';
import { toast } from '#shared/toast.ts';
import { useIsPhone } from '#shared/use-media.ts';

/** Name and display name, and the facts that others decide on. */
export function IdentityCard() {
  const { t } = useTranslation('profile');
  const { data: self, error, isFetching, refetch } = useSelf();
  const phone = useIsPhone();
  const [editing, setEditing] = useState(false);
  if (phone && self && !editing) return <IdentityLine self={self} onEdit={() => setEditing(true)} />;
  return (
    <Card aria-labelledby="profile-identity">
      <CardHead id="profile-identity" title={t('identity')} />
      {self ? (
        <IdentityForm
          key={`${self.username} ${self.display_name}`}
          self={self}
          autoFocus={editing}
          onSaved={() => setEditing(false)}
        />
      ) : error ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : (
        <div className="grid h-41 content-start gap-6 px-4 pt-4">
          <Skeleton width="70%" />
          <Skeleton width="40%" />
        </div>
      )}
    </Card>
  );
}

/** On a phone, until it is to be changed. */
function IdentityLine({ self, onEdit }: { self: Self; onEdit: () => void }) {
  const { t } = useTranslation('profile');
  const group = useUserGroups()[self.group];
  return (
    <Card aria-label={t('identity')} className="flex items-center gap-3 p-4">
      <Avatar user={self} size={48} />
      <div className="min-w-0 flex-1">
        <div className="truncate text-16 font-title">{self.display_name || self.username}</div>
        <div className="truncate text-13 text-text2">
          {self.username} · {t(`roles.${rankOf(self)}`)} · {group ? `${group.name} ×${group.ratio}` : self.group}
        </div>
      </div>
      <Button onClick={onEdit}>{t('edit')}</Button>
    </Card>
  );
}

const rankOf = ({ role: rank }: Self) => (rank >= role.root ? 'root' : rank >= role.admin ? 'admin' : 'user');

/** The contract's rules; a name that is there already may stay as it is. */
const rulesFor = ({ username: before }: Self) =>
  z.object({
    username: z.string().check(
      z.trim(),
      z.refine((name) => name === before || username.safeParse(name).success, { error: 'user.name' }),
    ),
    display_name: selfEdit.shape.display_name,
  });

type Values = z.input<ReturnType<typeof rulesFor>>;
type Body = z.output<ReturnType<typeof rulesFor>>;

interface FormProps {
  self: Self;
  autoFocus: boolean;
  onSaved: () => void;
}

function IdentityForm({ self, autoFocus, onSaved }: FormProps) {
  const { t } = useTranslation('profile');
  const client = useQueryClient();
  const resolver = useMemo(() => contractResolver(rulesFor(self)), [self]);
  const form = useForm<Values, unknown, Body>({
    resolver,
    defaultValues: { username: self.username, display_name: self.display_name },
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const save = useMutation({
    mutationFn: (body: Body) => savedOrRefused(form, () => call(profileApi.update, { body })),
    onSuccess: (saved) => {
      if (!saved) return;
      client.setQueryData(selfQuery.queryKey, saved);
      rememberUser(saved);
      toast.success(t('saved'));
      onSaved();
    },
  });
  const submit = handleSubmit((values) => save.mutate(values));
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event);
      }}
      className="flex gap-5 px-4 pt-1 pb-4 max-sm:gap-3"
    >
      <div className="max-sm:hidden">
        <Avatar user={self} size={64} />
      </div>
      <div className="grid min-w-0 flex-1 gap-4">
        <FieldRow>
          <FormText
            control={control}
            name="username"
            label={t('username')}
            autoComplete="username"
            autoFocus={autoFocus}
            hint={t('usernameHint')}
          />
          <FormText
            control={control}
            name="display_name"
            label={t('displayName')}
            autoComplete="name"
            hint={t('displayNameHint')}
          />
        </FieldRow>
        <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
          <Facts self={self} />
          <Button
            type="submit"
            variant="primary"
            busy={save.isPending}
            disabled={!formState.isDirty && !save.isPending}
            className="ml-auto"
          >
            {t('save')}
          </Button>
        </div>
      </div>
    </form>
  );
}

function Facts({ self }: { self: Self }) {
  const { t } = useTranslation('profile');
  const group = useUserGroups()[self.group];
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-13">
      <Fact name={t('role')}>{t(`roles.${rankOf(self)}`)}</Fact>
      <Fact name={t('group')}>{group ? `${group.name} ×${group.ratio}` : self.group}</Fact>
      <Fact name={t('registered')}>
        <Time at={self.created_time} as="date" />
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-text2">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

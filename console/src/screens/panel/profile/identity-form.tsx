import { profileApi, selfEdit, username, type Self } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import * as z from 'zod/mini';
import { call } from '#api/call.ts';
import { selfQuery } from '#api/self.ts';
import { rememberUser } from '#api/session.ts';
import { Avatar } from '#ui/basic/avatar.tsx';
import { Button } from '#ui/basic/button.tsx';
import { FieldRow } from '#ui/overlay/drawer-section.tsx';
import { useSaving } from '#domain/save/form-error.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormText } from '#ui/form/form-text.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { IdentityFacts } from './identity-facts.tsx';

/** The contract's rules; an unchanged user name always passes. */
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

export function IdentityForm({ self, autoFocus, onSaved }: FormProps) {
  const { t } = useTranslation('profile');
  const client = useQueryClient();
  const resolver = useMemo(() => contractResolver(rulesFor(self)), [self]);
  const form = useForm<Values, unknown, Body>({
    resolver,
    defaultValues: { username: self.username, display_name: self.display_name },
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const save = useSaving(form, {
    send: (body: Body) => call(profileApi.update, { body }),
    onSaved: (saved) => {
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
        <div className="flex items-center gap-x-5">
          <IdentityFacts self={self} />
          <Button
            type="submit"
            variant="primary"
            busy={save.isPending}
            disabled={!formState.isDirty && !save.isPending}
            className="ml-auto flex-none"
          >
            {t('save')}
          </Button>
        </div>
      </div>
    </form>
  );
}

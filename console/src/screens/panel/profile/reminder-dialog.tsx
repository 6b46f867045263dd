import { profileApi, selfEdit, type OwnSecurity } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, type SubmitEvent } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import * as z from 'zod/mini';
import { call } from '#api/call.ts';
import { selfQuery } from '#api/self.ts';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { Button } from '#ui/basic/button.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { FormMoney } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { securityQuery } from './profile-api.ts';

const rules = z.object({ remind_quota: selfEdit.shape.remind_quota });
type Values = z.input<typeof rules>;

interface Props {
  security: OwnSecurity;
  onClose: () => void;
}

/** Changes the balance below which a reminder is mailed. */
export function ReminderDialog({ security, onClose }: Props) {
  const { t } = useTranslation(['profile', 'shared']);
  const client = useQueryClient();
  const place = useRef<HTMLFormElement>(null);
  const format = useSiteFormat();
  const resolver = useMemo(() => contractResolver(rules), []);
  const form = useForm<Values>({ resolver, defaultValues: { remind_quota: security.remind_quota }, mode: 'onBlur' });
  const save = useMutation({
    mutationFn: ({ remind_quota = null }: Values) =>
      savedOrRefused(form, () => call(profileApi.update, { body: { remind_quota } })),
  });
  const submit = (close: () => void) => (event: SubmitEvent) => {
    event.preventDefault();
    void form.handleSubmit(async (values) => {
      const saved = save.isPending ? undefined : await save.mutateAsync(values).catch(() => undefined);
      if (!saved) return;
      client.setQueryData(selfQuery.queryKey, saved);
      toast.success(t('saved'));
      close();
      await client.invalidateQueries({ queryKey: securityQuery.queryKey });
    })(event);
  };
  const usual = security.site_remind_quota;
  return (
    <Dialog
      title={t('remind')}
      width={440}
      initialFocus={() => place.current?.querySelector('input')}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{t('shared:cancel')}</Button>
          <Button variant="primary" busy={save.isPending} onClick={() => place.current?.requestSubmit()}>
            {t('save')}
          </Button>
        </>
      )}
    >
      {(close) => (
        <form ref={place} noValidate onSubmit={submit(close)}>
          <FormMoney
            control={form.control}
            name="remind_quota"
            label={t('remindLabel')}
            hint={usual === 0 ? t('remindHintOff') : t('remindHint', { amount: formatMoney(usual, format) })}
          />
          {/* Makes Enter submit. */}
          <button type="submit" hidden />
        </form>
      )}
    </Dialog>
  );
}

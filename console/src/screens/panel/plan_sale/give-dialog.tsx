import { type Plan, planAdminApi, type User } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Gift } from 'lucide-react';
import { useRef, useState } from 'react';
import { call } from '#api/call.ts';
import { AccountChoice } from '#domain/account/account-choice.tsx';
import { planText } from '#domain/plan/plan-terms.tsx';
import { newReference } from '#domain/quota/quota-api.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { refreshPlans } from './plan-api.ts';

interface Props {
  plan: Plan;
  onClose: () => void;
}

/** Gives an account one period of a plan. */
export function GiveDialog({ plan, onClose }: Props) {
  const { t } = useTranslation(['planAdmin', 'shared']);
  const client = useQueryClient();
  const [to, setTo] = useState<User>();
  // One key for the dialog: a repeated press gives one period.
  const [key] = useState(newReference);
  const input = useRef<HTMLInputElement>(null);
  const name = planText(plan.names);
  const give = useMutation({
    mutationFn: (user: User) =>
      call(planAdminApi.give, {
        params: { id: plan.id },
        body: { user_id: user.id, request_key: `${key}-${user.id}` },
      }),
    onSuccess: ({ username }) => toast.success(t('given', { name, user: username })),
    onSettled: () => refreshPlans(client),
  });
  return (
    <Dialog
      title={t('giveTitle', { name })}
      text={t('giveText')}
      icon={Gift}
      iconTone="text-text2"
      initialFocus={input}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button disabled={give.isPending} onClick={close}>
            {t('shared:cancel')}
          </Button>
          <Button
            variant="primary"
            busy={give.isPending}
            disabled={!to}
            onClick={() => to && give.mutate(to, { onSuccess: close })}
          >
            {to ? t('giveTo', { user: to.username }) : t('giveAction')}
          </Button>
        </>
      )}
    >
      <AccountChoice
        label={t('user')}
        hint={t('userHint')}
        none={t('noUser')}
        chosen={to}
        onChoose={setTo}
        inputRef={input}
      />
    </Dialog>
  );
}

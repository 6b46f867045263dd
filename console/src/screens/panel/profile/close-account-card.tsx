import { profileApi } from '@relay-hub/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { forgetUser, useSession } from '#api/session.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Money } from '#ui/format/money.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';

const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));

/** Closes the own account, after a question that states what it still has. */
export function CloseAccountCard() {
  const { t } = useTranslation('profile');
  const { user } = useSession();
  const [asking, setAsking] = useState(false);
  const facts = useQuery({ ...apiQuery(profileApi.closing), enabled: asking }).data;
  const navigate = useNavigate();
  const close = useMutation({
    mutationFn: () => call(profileApi.close, { body: { username: user?.username ?? '' } }),
    onSuccess: async () => {
      // Navigate first: without a user, the guard of the current page would redirect to the login page.
      await navigate({ to: '/' });
      forgetUser();
      toast.success(t('closed'));
    },
  });
  return (
    <Card aria-labelledby="profile-close">
      <CardHead id="profile-close" title={t('close')} />
      <div className="flex flex-wrap items-center gap-3 px-4 pb-4">
        <p className="min-w-50 flex-1 text-13 text-text2">{t('closeText')}</p>
        <Button saves onClick={() => setAsking(true)}>
          {t('closeAction')}…
        </Button>
      </div>
      <Suspense>
        {asking && facts && (
          <Confirm
            title={t('closeTitle')}
            text={
              <>
                {t('closeWarning', { count: facts.tokens })}
                {facts.quota > 0 && (
                  <span className="mt-2 block">
                    <TextWithElements text={t('closeLeft')} parts={{ amount: <Money credits={facts.quota} /> }} />
                  </span>
                )}
                {facts.open_orders > 0 && (
                  <span className="mt-2 block text-warn">{t('closeOrders', { count: facts.open_orders })}</span>
                )}
              </>
            }
            action={t('closeAction')}
            onConfirm={() => close.mutateAsync()}
            onClose={() => setAsking(false)}
          />
        )}
      </Suspense>
    </Card>
  );
}

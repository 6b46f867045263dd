import { Mail } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { useSite } from '#api/site.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';

const loadDialog = () => import('./email-dialog.tsx');
const EmailDialog = lazy(async () => ({ default: (await loadDialog()).EmailDialog }));

/** The address for mails; also a sign-in name. */
export function EmailRow() {
  const { t } = useTranslation('profile');
  const { data: self } = useSelf();
  const site = useSite();
  const [binding, setBinding] = useState(false);
  return (
    <div className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <Icon of={Mail} className="text-text2" />
      <div className="min-w-0 flex-1">
        <div>{t('email')}</div>
        <div className="text-13 wrap-anywhere text-text2">
          {!self ? <Skeleton width={160} /> : self.email || t(site?.mail ? 'emailNone' : 'emailNoMail')}
        </div>
      </div>
      {site?.mail && (
        <Button
          disabled={!self}
          onPointerEnter={() => void loadDialog()}
          onFocus={() => void loadDialog()}
          onClick={() => setBinding(true)}
        >
          {t(self?.email ? 'emailChange' : 'emailBind')}
        </Button>
      )}
      {binding && (
        <Suspense>
          <EmailDialog before={self?.email ?? ''} onClose={() => setBinding(false)} />
        </Suspense>
      )}
    </div>
  );
}

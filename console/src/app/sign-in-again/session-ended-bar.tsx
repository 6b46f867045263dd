import { LogIn } from 'lucide-react';
import { createPortal } from 'react-dom';
import { useTranslation } from '#i18n/use-translation.ts';
import { askToSignIn } from '#api/failed-call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';

/** While the sign-in dialog is closed: explains why nothing loads or saves, and opens it again. */
export function SessionEndedBar() {
  const { t } = useTranslation('signInAgain');
  return createPortal(
    // Above the footer of a form, and outside the part of the page that a modal hides from screen readers.
    <div className="floating fixed bottom-20 left-4 z-55 flex max-w-[calc(100vw-2rem)] items-center gap-3 rounded-card py-2 pr-2 pl-4 text-13 shadow-menu lg:left-68">
      <Icon of={LogIn} className="text-warn" />
      <span role="status" className="min-w-0">
        {t('bar')}
      </span>
      <Button size="sm" variant="primary" saves={false} onClick={() => askToSignIn()}>
        {t('signIn')}
      </Button>
    </div>,
    document.body,
  );
}

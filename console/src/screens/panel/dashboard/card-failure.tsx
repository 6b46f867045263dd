import { RotateCw, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';

/** What a card needs of its query to say that it failed. */
export interface Asked {
  isFetching: boolean;
  refetch: () => unknown;
}

/** One line in the place of a card's content: it could not be loaded, and a way to try again. */
export function CardFailure({ asked }: { asked: Asked }) {
  const { t } = useTranslation('dashboard');
  return (
    <div role="alert" className="flex min-w-0 items-center gap-2 text-13 text-bad">
      <Icon of={TriangleAlert} />
      {/* On a phone there is room for the button alone, beside the sign. */}
      <span className="truncate max-sm:sr-only">{t('failed')}</span>
      <Button size="sm" icon={RotateCw} busy={asked.isFetching} onClick={() => void asked.refetch()}>
        {t('retry')}
      </Button>
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { Suspense, useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Mark } from '#ui/basic/mark.tsx';
import { useIsNarrow } from '#ui/basic/use-media.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Spinner } from '#ui/feedback/spinner.tsx';
import { Select } from '#ui/form/select.tsx';
import { SplitDialog } from '#ui/overlay/split-dialog.tsx';
import { connectTokens } from '#domain/token/connect-tokens.ts';
import { CallWatch } from './call-watch.tsx';
import { ToolList } from './tool-list.tsx';
import { ToolRecipe } from './tool-recipe.tsx';
import { toolOf, tools } from './tools/tools.ts';

interface Props {
  /** Id of a tool; an unknown one shows the first. */
  toolId: string;
  /** The token to use; 0 for the first one that works. */
  tokenId: number;
  onTool: (id: string) => void;
  onToken: (id: number) => void;
  onCreate: () => void;
  onClose: () => void;
}

/** How to use this site in a tool: what to set there, ready to copy; shows when the first call arrives. */
export function ConnectDialog({ toolId, tokenId, onTool, onToken, onCreate, onClose }: Props) {
  const { t } = useTranslation(['connect', 'token']);
  const tool = toolOf(toolId);
  const { data: tokens } = useQuery(connectTokens(tokenId));
  const token = tokens?.find(({ id }) => id === tokenId) ?? tokens?.[0];
  const narrow = useIsNarrow();
  const search = useRef<HTMLInputElement>(null);
  return (
    <SplitDialog
      title={tool.name}
      text={t(`checked.${tool.checked.by}`, {
        dialect: t(`dialects.${tool.dialect}`),
        tool: [tool.name, tool.checked.version].filter(Boolean).join(' '),
        date: tool.checked.on,
      })}
      mark={<Mark name={tool.name} mark={tool.mark} size={32} />}
      side={
        narrow ? (
          <ToolSelect toolId={tool.id} onTool={onTool} />
        ) : (
          <ToolList ref={search} toolId={tool.id} onTool={onTool} />
        )
      }
      initialFocus={search}
      contentKey={tool.id}
      footer={(close) => (
        <>
          {token && <CallWatch key={token.id} token={token} />}
          <Button onClick={close}>{t('token:done')}</Button>
        </>
      )}
      onClose={onClose}
    >
      {token ? (
        <Suspense fallback={<Loading />}>
          <ToolRecipe tool={tool} token={token} tokens={tokens ?? []} onToken={onToken} />
        </Suspense>
      ) : tokens ? (
        <EmptyState
          icon={KeyRound}
          title={t('noToken')}
          text={t('noTokenText')}
          action={
            <Button variant="primary" onClick={onCreate}>
              {t('token:create')}
            </Button>
          }
        />
      ) : (
        <Loading />
      )}
    </SplitDialog>
  );
}

const Loading = () => (
  <div className="grid h-80 place-items-center">
    <Spinner />
  </div>
);

function ToolSelect({ toolId, onTool }: { toolId: string; onTool: (id: string) => void }) {
  const { t } = useTranslation('connect');
  return (
    <div className="px-4 pb-3">
      <Select
        aria={{ 'aria-label': t('tool') }}
        value={toolId}
        options={tools.map(({ id, name, mark, group }) => ({
          value: id,
          label: name,
          tile: <Mark name={name} mark={mark} size={20} />,
          note: t(`groups.${group}`),
        }))}
        onChange={onTool}
        searchable
      />
    </div>
  );
}

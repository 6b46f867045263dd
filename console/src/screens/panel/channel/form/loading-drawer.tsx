import { EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';

interface Waited {
  error: Error | null;
  refetch: () => Promise<unknown>;
}

interface Props {
  title: string;
  queries: readonly Waited[];
  onClose: () => void;
}

/** A drawer whose form is loading or failed to load. */
export function LoadingDrawer({ title, queries, onClose }: Props) {
  const error = queries.find((query) => query.error)?.error;
  return (
    <EditDrawer title={title} changes={0} onSave={() => undefined} onClose={onClose}>
      {error ? (
        <ErrorState
          text={error.message}
          onRetry={() => void Promise.all(queries.filter((query) => query.error).map(({ refetch }) => refetch()))}
        />
      ) : (
        <Loading />
      )}
    </EditDrawer>
  );
}

function Loading() {
  return (
    <div aria-busy className="grid grid-cols-1 gap-6 py-6">
      {['40%', '100%', '100%', '40%', '100%'].map((width, index) => (
        <Skeleton key={index} width={width} />
      ))}
    </div>
  );
}

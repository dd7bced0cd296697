import { QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, onTestFinished } from 'vitest';
import { queryClient } from './query.ts';
import { useListedRow } from './use-listed-row.ts';

interface Row {
  id: string;
  isOpen: boolean;
}

const open: Row = { id: 'a', isOpen: true };
const ended: Row = { id: 'a', isOpen: false };

function Wrapper({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
}

/** Each row alone is loaded when the test responds. */
function render(id: string | undefined, initialRows: Row[] | undefined) {
  const asked: ((rows: Row[]) => void)[] = [];
  const queryFn = () =>
    new Promise<{ data: Row[]; totalPages: number }>((resolve) => {
      asked.push((data) => resolve({ data, totalPages: 1 }));
    });
  onTestFinished(() => queryClient.clear());
  const query = { queryKey: ['/rows', id], queryFn };
  const hook = renderHook((rows: Row[] | undefined) => useListedRow({ id, rows, query, isBusy: () => false }), {
    initialProps: initialRows,
    wrapper: Wrapper,
  });
  return { ...hook, asked };
}

it('is the row of the list, which is not asked for alone', () => {
  const { result, asked } = render('a', [open]);
  expect(result.current).toEqual({ row: open, isMissing: false });
  expect(asked).toHaveLength(0);
});

it('keeps a row that leaves the list until it is loaded alone', async () => {
  const { result, rerender, asked } = render('a', [open]);
  rerender([]);
  expect(result.current.row).toBe(open);
  await expect.poll(() => asked).toHaveLength(1);
  asked[0]!([ended]);
  await expect.poll(() => result.current).toEqual({ row: ended, isMissing: false });
});

it('asks for a row that the list does not have, and says that it does not exist', async () => {
  const { result, rerender, asked } = render('a', undefined);
  expect(asked).toHaveLength(0);
  rerender([]);
  expect(result.current).toEqual({ row: undefined, isMissing: false });
  await expect.poll(() => asked).toHaveLength(1);
  asked[0]!([]);
  await expect.poll(() => result.current).toEqual({ row: undefined, isMissing: true });
});

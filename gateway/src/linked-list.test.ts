import { describe, expect, it } from 'vitest';
import { LinkedList } from './linked-list.ts';

describe('a linked list', () => {
  it('keeps the order of additions, whichever item is removed', () => {
    const list = new LinkedList<number>();
    const places = [1, 2, 3, 4, 5].map((item) => list.add(item));
    for (const index of [2, 0, 4]) list.remove(places[index]!);
    expect([[...list], list.size, list.first]).toEqual([[2, 4], 2, 2]);
    list.add(6);
    for (const index of [1, 3]) list.remove(places[index]!);
    expect([[...list], list.size, list.first]).toEqual([[6], 1, 6]);
  });

  it('is empty again after the last one, and takes new ones', () => {
    const list = new LinkedList<string>();
    list.remove(list.add('one'));
    expect([[...list], list.size, list.first]).toEqual([[], 0, undefined]);
    list.add('other');
    expect([[...list], list.size, list.first]).toEqual([['other'], 1, 'other']);
  });

  it('ignores the removal of a place that was left', () => {
    const list = new LinkedList<string>();
    const place = list.add('one');
    list.remove(place);
    list.add('other');
    list.remove(place);
    expect([[...list], list.size]).toEqual([['other'], 1]);
  });

  it('may change while it is read', () => {
    const list = new LinkedList<number>();
    const places = [1, 2, 3].map((item) => list.add(item));
    const seen: number[] = [];
    for (const item of list) {
      seen.push(item);
      for (const place of places) list.remove(place);
      list.add(item + 10);
    }
    expect([seen, [...list]]).toEqual([
      [1, 2, 3],
      [11, 12, 13],
    ]);
  });
});

import { expect, it } from 'vitest';
import { linePoints } from './sparkline.tsx';

it('draws the largest value at the top and zero at the bottom', () => {
  expect(linePoints([0, 5, 10])).toEqual(['0.0,31.0', '50.0,16.0', '100.0,1.0']);
});

it('has room below zero for hours with more refunds than charges', () => {
  expect(linePoints([-5, 5])).toEqual(['0.0,31.0', '100.0,1.0']);
});

it('draws equal values as a line at the top', () => {
  expect(linePoints([3, 3])).toEqual(['0.0,1.0', '100.0,1.0']);
});

#pragma once
#define TILE 1024
void AddScalar(float* data, float value, int count);
void Fails(float* data);
